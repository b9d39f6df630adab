import { describe, expect, test } from 'vitest'
import { makeLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { askAll } from '../support/ask-recorded.ts'
import { findLostFields } from '../support/find-lost-fields.ts'
import { listMigrations, restoreDatabase } from '../support/recorded-database.ts'
import { listRecorded, readRecorded } from '../support/recorded-release.ts'
import { makeTestDatabase } from '../support/test-database.ts'
import { startWholeService } from '../support/whole-service.ts'

const log = makeLog('error')

describe.each(listRecorded())('a database of release %s', (version) => {
  const { access, database: dump, answers } = readRecorded(version)

  test('was made by migrations that have not changed since', () => {
    const known = new Map(listMigrations().map(({ name, sha256 }) => [name, sha256]))
    expect(access.migrations.filter(({ name, sha256 }) => known.get(name) !== sha256)).toEqual([])
  })

  test('opens under this release, and no field of an answer is gone or says something else', async () => {
    const database = await makeTestDatabase({ isEmpty: true })
    await migrate({ url: database.url, log, count: access.migrations.length })
    await restoreDatabase(database.url, dump)
    await migrate({ url: database.url, log })
    const service = await startWholeService({
      database,
      keys: access.keys,
      now: access.recordedAt,
      isOffline: true,
    })
    try {
      const now = await askAll(service.port, access, answers)
      const lost = answers.flatMap((before, index) =>
        findLostFields(
          { status: before.status, body: before.body },
          { status: now[index]?.status, body: now[index]?.body },
        ).map((fault) => `GET ${before.target} as ${before.as}: ${fault}`),
      )
      expect(lost).toEqual([])
      expect(answers.length).toBeGreaterThan(50)
    } finally {
      await service.stop()
    }
  })
})

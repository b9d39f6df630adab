import { expect, onTestFinished, test } from 'vitest'
import { checkDatabase } from '../../../../cli/src/doctor/check-database.ts'
import { refusePooler } from '../../../src/platform/database/opening/refuse-pooler.ts'
import { pgbouncer, startPgbouncer } from '../../support/database/pgbouncer.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'

const database = perFile(makeTestDatabase)
const skipped = pgbouncer ? '' : " (skipped: it needs Debian's package pgbouncer)"

async function open(mode: 'session' | 'transaction' | 'statement'): Promise<string> {
  const pooler = await startPgbouncer(database.url, mode)
  onTestFinished(() => pooler.stop())
  return pooler.url
}

test.skipIf(!pgbouncer).each(['transaction', 'statement'] as const)(
  `a pooler in %s mode is refused at the start and found by doctor${skipped}`,
  async (mode) => {
    const url = await open(mode)
    await expect(refusePooler('DATABASE_URL', url)).rejects.toThrow(
      /^DATABASE_URL \(database test_\w+ at 127\.0\.0\.1:\d+\): .*pool_mode = session/,
    )
    const findings = await checkDatabase(url, { isProduction: true })
    expect(findings.map(({ name, result }) => `${name}: ${result}`)).toEqual(['database: fail'])
    expect(findings[0]?.text).toContain('pool_mode = session')
  },
)

test.skipIf(!pgbouncer)(`a pooler in session mode is accepted${skipped}`, async () => {
  const url = await open('session')
  await refusePooler('DATABASE_URL', url)
  const findings = await checkDatabase(url, { isProduction: false })
  expect(findings).toContainEqual({ name: 'database', result: 'ok', text: expect.any(String) })
})

test('without a pooler, and without a database, the check refuses nothing', async () => {
  await refusePooler('DATABASE_URL', database.url)
  await refusePooler('DATABASE_URL', 'postgres://127.0.0.1:1/none')
})

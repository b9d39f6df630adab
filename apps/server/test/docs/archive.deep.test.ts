import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { readBlocks } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { Pool } from '../../src/platform/database/database.ts'
import { migrate } from '../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../src/platform/log.ts'
import { archiveAfterDays, archiveAfterMs, archiveAll, listMonths } from '../support/api/archive.ts'
import { expectApiError } from '../support/api/contract.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { startApi } from '../support/api/start-api.ts'
import { findDebianPostgres, startDebianPostgres } from '../support/database/debian-postgres.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { TestClock } from '../support/test-clock.ts'

const programs = findDebianPostgres()

/** A service on a PostgreSQL of Debian, in March 2024, with all that ends it. */
async function startInMarch(folder: string) {
  const postgres = await startDebianPostgres(programs ?? '', folder)
  const log = makeLog('error')
  await migrate({ url: postgres.url, log })
  const pool = new Pool({ url: postgres.url, log })
  const database = { url: postgres.url, pool, drop: () => pool.close() }
  const beside = { database, clock: new TestClock(Date.UTC(2024, 2, 10, 12)) }
  const api = await startApi({ archiveAfterDays, beside })
  const stop = async () => {
    await api.stop()
    await pool.close()
    await postgres.stop(postgres.dataFolder)
  }
  return { api, postgres, stop }
}

test.skipIf(!programs)(
  'by the commands of the page a month of the archive leaves the database, and comes back from its dump',
  async () => {
    const folder = await makeTemporaryFolder('archive-months', { isSearched: false })
    const backups = join(folder.path, 'backup')
    mkdirSync(backups)
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres', backups])
    const { api, postgres, stop } = await startInMarch(folder.path)
    try {
      const { key, wallet } = await api.addMerchant()
      const made = await api.call('POST', '/api/receipts', { key, body: receiptBody('old') })
      expect(made.status, made.text).toBe(201)
      await api.move(wallet, 'old', 'failure_verified')
      await api.clock.advance(archiveAfterMs)
      await archiveAll(api)
      expect(await listMonths(api)).toEqual(['archived_document_2024_03'])
      const read = () => api.call('GET', '/api/receipts/old', { key })
      const before = await read()
      expect(before.status).toBe(200)

      const page = readFileSync(join(repositoryRoot, 'docs/operations.md'), 'utf8')
      const [takeOut, bringBack] = readBlocks(page).filter(
        ({ heading, language }) => heading === 'Taking a month out of the database' && language === 'sh',
      )
      const play = async (block: typeof takeOut) => {
        if (!block) throw new Error('docs/operations.md has no such commands any more')
        const env = { PATH: postgres.path, DATABASE_URL: postgres.url, BACKUP_DIR: backups }
        const signal = AbortSignal.timeout(60_000)
        const here = { ...block, marks: new Map<string, string>() }
        const fault = await playGuide([here], { folder: folder.path, env, signal, report: () => {} })
        expect(fault).toBeUndefined()
      }
      await play(takeOut)
      expect(await listMonths(api)).toEqual([])
      const away = await read()
      expectApiError(away, 410, 'receipt_archived')
      expect(away.body.month).toBe('2024-03')
      await play(bringBack)
      expect((await read()).body).toEqual(before.body)
    } finally {
      await stop()
      await folder.remove()
    }
  },
)

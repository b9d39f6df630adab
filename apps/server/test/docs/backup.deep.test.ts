import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { type Block, readBlocks } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { makeLog } from '../../src/platform/log.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { runSluice } from '../../src/run.ts'
import {
  type DebianPostgres,
  findDebianPostgres,
  startDebianPostgres,
} from '../support/database/debian-postgres.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/programs/temporary-folder.ts'
import { registerLocalSecrets } from '../support/secrets/local-secrets.ts'
import { keptLog } from '../support/secrets/secret-register.ts'

const programs = findDebianPostgres()
let folder: TemporaryFolder
let postgres: DebianPostgres
let restored: string

beforeAll(async () => {
  if (!programs) return
  folder = await makeTemporaryFolder('backup', { isSearched: false })
  restored = join(folder.path, 'postgres/restored')
  postgres = await startDebianPostgres(programs, folder.path)
})
afterAll(async () => {
  await postgres?.stop(restored)
  await postgres?.stop(postgres.dataFolder)
  await folder?.remove()
})

/** Plays the guide's blocks below these headings, as an operator at a terminal of PostgreSQL's user. */
async function play(headings: readonly string[], more: Record<string, string> = {}) {
  const blocks = readBlocks(readFileSync(join(repositoryRoot, 'docs/backup.md'), 'utf8'))
  const chosen = blocks.filter((block: Block) => headings.includes(block.heading))
  expect(chosen.some(({ language }) => language === 'sh')).toBe(true)
  const env = {
    PATH: postgres.path,
    PGDATA: postgres.dataFolder,
    BACKUP_DIR: join(folder.path, 'postgres/backup'),
    DATABASE_URL: postgres.url,
    ...more,
  }
  const signal = AbortSignal.timeout(100_000)
  expect(await playGuide(chosen, { folder: folder.path, env, signal, report: () => {} })).toBeUndefined()
}

async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const dataDir = join(folder.path, 'data')
  const parts: { stop(): Promise<void> }[] = []
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    PORT: '0',
    RATE_LIMIT_SCALE: '0',
  })
  try {
    await runSluice(config, makeLog('debug', keptLog('backup')), { keep: (part) => void parts.push(part) })
    registerLocalSecrets(dataDir)
    const { baseUrl, subscriptionKey } = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'))
    const headers = { 'x-api-key': subscriptionKey, 'content-type': 'application/json' }
    await work({
      async create(id) {
        const body = JSON.stringify({ id, lineItems: [{ label: 'Beans', amount: 38 }] })
        const answer = await fetch(`${baseUrl}/api/receipts`, { method: 'POST', headers, body })
        expect(answer.status).toBe(201)
      },
      find: async (id) => (await fetch(`${baseUrl}/api/receipts/${id}`, { headers })).status,
    })
  } finally {
    for (const part of parts.reverse()) await part.stop()
  }
}

type Service = { create(id: string): Promise<void>; find(id: string): Promise<number> }

test.skipIf(!programs)(
  'by the guide a database comes back as it was at a moment, and the service goes on from there',
  async () => {
    const backups = join(folder.path, 'postgres/backup')
    mkdirSync(join(backups, 'wal'), { recursive: true })
    // The guide's own commands run as root here, those of PostgreSQL as its user.
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', 'postgres', backups])
    let restoreTo = ''
    await withService(async (service) => service.create('before-base'))
    await play(['Archive every change (point-in-time recovery)'])
    const base = readdirSync(backups).find((name) => name.startsWith('base-')) as string
    await withService(async (service) => {
      await service.create('before-moment')
      const now = ['-d', postgres.url, '-tAc', 'SELECT clock_timestamp()']
      restoreTo = execFileSync('psql', now, { env: { PATH: postgres.path }, encoding: 'utf8' }).trim()
      await service.create('after-moment')
    })
    await play(['Copy the database'])
    await play(['Restore'], { BASE: join(backups, base), RESTORE_TO: restoreTo, RESTORED: restored })
    await withService(async (service) => {
      expect(await service.find('before-base')).toBe(200)
      expect(await service.find('before-moment')).toBe(200)
      expect(await service.find('after-moment')).toBe(404)
      await service.create('after-moment')
    })
  },
)

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { type Block, readPage } from '../../../../scripts/guide/read-blocks.ts'
import { checkDatabase } from '../../../cli/src/doctor/check-database.ts'
import { makeLog } from '../../src/platform/log.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { runSluice } from '../../src/run.ts'
import {
  type DebianCluster,
  startDebianCluster,
  whyNoDebianCluster,
} from '../support/database/debian-postgres.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { registerLocalSecrets } from '../support/secrets/local-secrets.ts'
import { keptLog } from '../support/secrets/secret-register.ts'

type Machine = { readonly folder: string; readonly backups: string; readonly cluster: DebianCluster }

/** Runs the guide's code blocks under these headings, as root on the machine. */
async function play({ folder, backups, cluster }: Machine, headings: readonly string[], more = {}) {
  const blocks = readPage('docs/backup.md')
  const chosen = blocks.filter((block: Block) => headings.includes(block.heading))
  expect(chosen.some(({ language }) => language === 'sh')).toBe(true)
  const env = { PATH: process.env.PATH, ...cluster.env, BACKUP_DIR: backups, ...more }
  const signal = AbortSignal.timeout(100_000)
  expect(await playGuide(chosen, { folder, env, signal, report: () => {} })).toBeUndefined()
}

type Service = {
  create(id: string): Promise<void>
  find(id: string): Promise<number>
  readArchive(): Promise<unknown>
}

async function withService(machine: Machine, work: (service: Service) => Promise<void>): Promise<void> {
  const dataDir = join(machine.folder, 'data')
  const parts: { stop(): Promise<void> }[] = []
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: machine.cluster.url,
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
        const response = await fetch(`${baseUrl}/api/receipts`, { method: 'POST', headers, body })
        expect(response.status).toBe(201)
      },
      find: async (id) => (await fetch(`${baseUrl}/api/receipts/${id}`, { headers })).status,
      readArchive: async () =>
        ((await (await fetch(`${baseUrl}/readyz`)).json()) as { checks: Record<string, unknown> }).checks
          .databaseArchive,
    })
  } finally {
    for (const part of parts.reverse()) await part.stop()
  }
}

async function waitUntil(cluster: DebianCluster, condition: string): Promise<void> {
  await expect.poll(() => cluster.ask(condition), { timeout: 30_000 }).toBe('t')
}

async function findArchive({ url }: DebianCluster) {
  return (await checkDatabase(url, { isProduction: true })).find(({ name }) => name === 'archive')
}

const whyNot = whyNoDebianCluster()
const skipped = whyNot ? ` (skipped: it ${whyNot})` : ''

test.skipIf(whyNot)(
  `by the guide a database comes back as it was at a moment, and the service goes on from there${skipped}`,
  async () => {
    const { path, remove } = await makeTemporaryFolder('backup', { isSearched: false })
    const cluster = await startDebianCluster(path)
    const machine = { folder: path, backups: join(path, 'backup'), cluster }
    try {
      let restoreTo = ''
      await withService(machine, async (service) => service.create('before-base'))
      await play(machine, ['Archive every change (point-in-time recovery)'])
      const archived = readdirSync(join(machine.backups, 'wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
      expect(archived).not.toEqual([])
      const base = readdirSync(machine.backups).find((name) => /^base-\w+$/.test(name)) as string
      await withService(machine, async (service) => {
        await service.create('before-moment')
        restoreTo = await cluster.ask('SELECT clock_timestamp()')
        await service.create('after-moment')
      })
      await play(machine, ['Copy the database'])
      await play(machine, ['Restore'], { BASE: join(machine.backups, base), RESTORE_TO: restoreTo })
      await withService(machine, async (service) => {
        expect(await service.readArchive()).toBeUndefined()
        expect(await service.find('before-base')).toBe(200)
        expect(await service.find('before-moment')).toBe(200)
        expect(await service.find('after-moment')).toBe(404)
        await service.create('after-moment')
        expect(await findArchive(cluster)).toMatchObject({
          result: 'ok',
          text: expect.stringMatching(/ 0000000\d/),
        })
        await cluster.ask(`ALTER SYSTEM SET archive_command = 'false'`)
        await cluster.ask('SELECT pg_reload_conf()')
        await cluster.ask('SELECT pg_switch_wal()')
        const failed = 'SELECT last_failed_time > last_archived_time FROM pg_stat_archiver'
        await waitUntil(cluster, failed)
        expect(await service.readArchive()).toEqual({ ok: false, because: 'fails' })
        expect(await findArchive(cluster)).toMatchObject({ result: 'fail' })
        await cluster.ask(`ALTER SYSTEM SET archive_command = ''`)
        await cluster.ask('SELECT pg_reload_conf()')
        const command = `SELECT current_setting('archive_command') = ''`
        await waitUntil(cluster, command)
        expect(await service.readArchive()).toEqual({ ok: false, because: 'no_command' })
      })
    } finally {
      await cluster.stop()
      await remove()
    }
  },
)

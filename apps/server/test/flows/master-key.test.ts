import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../../src/kernel/random.ts'
import { makeLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { findFreePort } from '../../src/platform/process.ts'
import { apiKeyContext, Secrets } from '../../src/platform/secrets.ts'
import { type ServiceProcess, spawnService } from '../support/kill-service.ts'
import { restoreDatabase } from '../support/recorded-database.ts'
import { listRecorded, readRecorded } from '../support/recorded-release.ts'
import { startCli } from '../support/run-cli.ts'
import { registerSecrets } from '../support/secret-register.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { makeTestDatabase, type TestDatabase } from '../support/test-database.ts'

const limitMs = 180_000
const wrongSettings = 78

let folder: TemporaryFolder
/** Holds former master keys, as an operator's safe does. */
let safe: TemporaryFolder
beforeAll(async () => {
  folder = await makeTemporaryFolder('master-key')
  safe = await makeTemporaryFolder('master-key-safe', { isSearched: false })
})
afterAll(async () => {
  await folder?.remove()
  await safe?.remove()
})

type Settings = Readonly<Record<string, string>>

/** What is set beside the key; the endpoint answers nobody, as in a start while the chain is away. */
function settingsOf(database: TestDatabase, more: Settings): Settings {
  registerSecrets(more.SLUICE_MASTER_KEY, more.SLUICE_MASTER_KEY_OLD)
  return { DATABASE_URL: database.url, RPC_URLS: 'http://127.0.0.1:9', CHAIN_ID: '31337', ...more }
}

async function spawn(database: TestDatabase, more: Settings): Promise<ServiceProcess> {
  const dataDir = join(folder.path, randomUUID())
  const service = spawnService({
    dataDir,
    port: await findFreePort(),
    settings: settingsOf(database, more),
  })
  service.ready.catch(() => {})
  return service
}

/** Starts a service that is to be refused, and gives what it said; it never listened and never ran a job. */
async function refusal(database: TestDatabase, more: Settings): Promise<string> {
  const service = await spawn(database, more)
  service.ready.then(
    () => service.signal('SIGTERM'),
    () => {},
  )
  const { code } = await service.ended
  expect([code, service.said()]).toEqual([wrongSettings, service.said()])
  expect(service.said()).not.toContain('"msg":"ready"')
  for (const name of ['SLUICE_MASTER_KEY', 'SLUICE_MASTER_KEY_OLD'])
    if (more[name]) expect(service.said()).not.toContain(more[name])
  return service.said()
}

/** Starts a service that comes up, and stops it; what it said. */
async function start(database: TestDatabase, more: Settings): Promise<string> {
  const service = await spawn(database, more)
  await service.ready
  service.signal('SIGTERM')
  expect((await service.ended).code).toBe(0)
  return service.said()
}

const newKey = () => Buffer.from(systemRandom.bytes(32)).toString('base64url')

async function sealOf(database: TestDatabase) {
  const text = 'SELECT chain, key_id, previous_key_id FROM database_seal'
  return database.pool.rows<Record<string, unknown>>({ name: 'test-seal', text })
}

const idOf = (masterKey: string) => new Secrets(masterKey, systemRandom).keyId

/** A database as a release left it, with what was sealed in it. */
async function restore(version: string) {
  const { access, database: dump } = readRecorded(version)
  const database = await makeTestDatabase({ isEmpty: true })
  const log = makeLog('error')
  await migrate({ url: database.url, log, count: access.migrations.length })
  await restoreDatabase(database.url, dump)
  return { database, key: access.keys.masterKey }
}

describe('a new database', () => {
  test(
    'belongs from its first start on to one master key and one chain, and others are told what to do',
    async () => {
      const database = await makeTestDatabase({ isEmpty: true })
      const [key, other] = [newKey(), newKey()]
      try {
        await start(database, { SLUICE_MASTER_KEY: key })
        expect(await sealOf(database)).toEqual([{ chain: 31337n, key_id: idOf(key), previous_key_id: null }])

        const said = await refusal(database, { SLUICE_MASTER_KEY: other })
        expect(said).toContain('SLUICE_MASTER_KEY is another master key than this database was sealed with')
        expect(said).toContain('set the one that the service ran with')
        expect(said).toContain(idOf(key))

        const elsewhere = await refusal(database, { SLUICE_MASTER_KEY: key, CHAIN_ID: '84532' })
        expect(elsewhere).toContain('CHAIN_ID is 84532, and this database belongs to chain 31337')

        expect(await sealOf(database)).toEqual([{ chain: 31337n, key_id: idOf(key), previous_key_id: null }])
        await start(database, { SLUICE_MASTER_KEY: key })
      } finally {
        await database.drop()
      }
    },
    limitMs,
  )
})

describe.each(listRecorded())('a database of release %s', (version) => {
  test(
    'gets its seal at the first start, from the key that opens what is sealed in it and on its own chain alone',
    async () => {
      const { database, key } = await restore(version)
      try {
        const said = await refusal(database, { SLUICE_MASTER_KEY: newKey() })
        expect(said).toMatch(/another master key .*it opens 0 of the newest \d+ API keys/)
        expect(await refusal(database, { SLUICE_MASTER_KEY: key, CHAIN_ID: '84532' })).toContain(
          'this database belongs to chain 31337',
        )
        expect(await sealOf(database)).toEqual([])
        await start(database, { SLUICE_MASTER_KEY: key })
        expect(await sealOf(database)).toEqual([{ chain: 31337n, key_id: idOf(key), previous_key_id: null }])
      } finally {
        await database.drop()
      }
    },
    limitMs,
  )
})

/** Every sealed key in the database, opened: by place, merchant and id. */
async function openAll(database: TestDatabase, secrets: Secrets): Promise<Map<string, string>> {
  const text = `SELECT 'key' AS place, merchant, id, id AS key_id, sealed FROM api_key
    UNION ALL SELECT 'receipt', merchant, id, key_id, sealed_key FROM receipt WHERE sealed_key IS NOT NULL
    UNION ALL SELECT 'notice', merchant, id, key_id, sealed_key FROM notice`
  const rows = await database.pool.rows<Record<'place' | 'merchant' | 'id' | 'key_id' | 'sealed', string>>({
    name: 'test-sealed',
    text,
  })
  return new Map(
    rows.map(({ place, merchant, id, key_id, sealed }) => [
      `${place} ${merchant} ${id}`,
      secrets.open(sealed, apiKeyContext(merchant, key_id)),
    ]),
  )
}

/** More notices than a batch holds, as a busy shop has them: copies of one that is there. */
async function multiplyNotices(database: TestDatabase, count: number): Promise<void> {
  const columns = `lane, subject, brand_key, url, host, key_id, sealed_key, body, sequence, delivery_id,
    attempt_count, cycle, next_at, claimed_until, created_at, settled_at`
  await database.pool.run(
    {
      name: 'test-multiply',
      text: `INSERT INTO notice (merchant, id, idempotency_key, state, ${columns})
        SELECT merchant, id || '-' || n, idempotency_key || n, 'delivered', ${columns}
        FROM (SELECT * FROM notice ORDER BY merchant, id LIMIT 1) AS one, generate_series(1, $1) AS n`,
    },
    [count],
  )
}

async function countWith(database: TestDatabase, keyId: string): Promise<number> {
  const text = `SELECT count(*) AS count FROM notice WHERE sealed_key LIKE 's2.' || $1 || '.%'`
  const row = await database.pool.row<{ count: bigint }>({ name: 'test-count-sealed', text }, [keyId])
  return Number(row?.count)
}

const newest = listRecorded().at(-1) as string

describe('a master key that is replaced', () => {
  test(
    'opens everything until it is sealed anew, which a kill does not harm; then the old one is needed no more',
    async () => {
      const { database, key: old } = await restore(newest)
      const key = newKey()
      const both = { SLUICE_MASTER_KEY: key, SLUICE_MASTER_KEY_OLD: old }
      const cli = (args: string, settings: Settings) =>
        startCli(args.split(' '), {
          cwd: folder.path,
          env: { DATA_DIR: folder.path, ...settingsOf(database, settings) },
        })
      try {
        await start(database, { SLUICE_MASTER_KEY: old })
        await multiplyNotices(database, 4_000)
        const before = await openAll(database, new Secrets(old, systemRandom))
        expect(before.size).toBeGreaterThan(4_000)

        expect(await start(database, both)).toContain('SLUICE_MASTER_KEY_OLD is still needed')
        expect(await sealOf(database)).toMatchObject([{ key_id: idOf(key), previous_key_id: idOf(old) }])
        for (const alone of [key, old])
          expect(await refusal(database, { SLUICE_MASTER_KEY: alone })).toContain(
            alone === key ? 'SLUICE_MASTER_KEY_OLD is needed' : 'another master key',
          )

        const killed = cli('secrets reseal', both)
        while (!killed.said.stderr.includes('notices:'))
          await once(killed.child.stderr as NodeJS.ReadableStream, 'data')
        killed.child.kill('SIGKILL')
        await killed.ended
        const done = await countWith(database, idOf(key))
        expect(done).toBeGreaterThan(0)
        expect(done).toBeLessThan(4_000)
        expect(await openAll(database, new Secrets(key, systemRandom, [old]))).toEqual(before)
        expect(await refusal(database, { SLUICE_MASTER_KEY: key })).toContain(
          'SLUICE_MASTER_KEY_OLD is needed',
        )

        const resealed = await cli('secrets reseal', both).ended
        expect([resealed.code, resealed.stderr]).toEqual([0, resealed.stderr])
        expect(resealed.stdout).toContain('SLUICE_MASTER_KEY_OLD is no longer needed')
        expect(await openAll(database, new Secrets(key, systemRandom))).toEqual(before)
        const again = JSON.parse((await cli('secrets reseal --json', both).ended).stdout)
        expect(again).toMatchObject({ ok: true, resealed: { keys: 0, receipts: 0, notices: 0 } })

        expect(await start(database, { SLUICE_MASTER_KEY: key })).not.toContain('SLUICE_MASTER_KEY_OLD')
        expect(await refusal(database, { SLUICE_MASTER_KEY: old })).toContain('another master key')

        // The audit log stays whole under the keys of its time, and under no others.
        expect((await cli('audit verify --json', both).ended).code).toBe(0)
        const alone = await cli('audit verify', { SLUICE_MASTER_KEY: key }).ended
        expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('was changed')])
        const formerKeys = join(safe.path, 'former-keys')
        writeFileSync(formerKeys, `${newKey()}\n${old}\n`, { mode: 0o600 })
        const verify = `audit verify --json --old-keys ${formerKeys}`
        const whole = await cli(verify, { SLUICE_MASTER_KEY: key }).ended
        expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, broken: [] })
      } finally {
        await database.drop()
      }
    },
    limitMs,
  )

  test(
    'leaves what opens with neither key as it is, names it, and ends with 1',
    async () => {
      const { database, key: old } = await restore(newest)
      const both = { SLUICE_MASTER_KEY: newKey(), SLUICE_MASTER_KEY_OLD: old }
      try {
        await start(database, both)
        const lost = { name: 'test-lose', text: "UPDATE api_key SET sealed = 's1.AAAA' WHERE id = $1" }
        const [first] = await database.pool.rows<{ id: string }>({
          name: 'test-first-key',
          text: 'SELECT id FROM api_key ORDER BY id LIMIT 1',
        })
        await database.pool.run(lost, [first?.id ?? ''])
        const { code, stdout } = await startCli(['secrets', 'reseal', '--json'], {
          cwd: folder.path,
          env: { DATA_DIR: folder.path, ...settingsOf(database, both) },
        }).ended
        const outcome = JSON.parse(stdout)
        expect([code, outcome.ok, outcome.lostCount]).toEqual([1, false, 1])
        expect(outcome.lost[0]).toContain(first?.id)
        expect(await sealOf(database)).toMatchObject([{ previous_key_id: null }])
      } finally {
        await database.drop()
      }
    },
    limitMs,
  )
})

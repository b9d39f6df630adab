import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import { until } from '../../../src/platform/process/process.ts'
import { apiKeyContext, Secrets } from '../../../src/platform/secrets.ts'
import { listRecorded } from '../../support/database/recorded-release.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { startCli } from '../../support/programs/run-cli.ts'
import {
  idOf,
  makeEncryptedLocation,
  masterKeyCheckOf,
  newKey,
  restoreRelease,
  type Settings,
  settingsOf,
} from '../../support/secrets/encrypted-service.ts'

const place = perFile(() => makeEncryptedLocation('master-key-replaced'))
const apiError = (database: TestDatabase, more: Settings) => place.apiError(database, more)
const start = (database: TestDatabase, more: Settings) => place.start(database, more)

async function openAll(database: TestDatabase, secrets: Secrets): Promise<Map<string, string>> {
  const text = `SELECT 'key' AS place, merchant, id, id AS key_id, encrypted FROM api_key
    UNION ALL SELECT 'receipt', merchant, id, key_id, encrypted_key FROM receipt WHERE encrypted_key IS NOT NULL
    UNION ALL SELECT 'outbox_message', merchant, id, key_id, encrypted_key FROM outbox_message`
  type Row = Record<'place' | 'merchant' | 'id' | 'key_id' | 'encrypted', string>
  const rows = await database.pool.rows<Row>({ name: '', text })
  return new Map(
    rows.map(({ place, merchant, id, key_id, encrypted }) => [
      `${place} ${merchant} ${id}`,
      secrets.open(encrypted, apiKeyContext(merchant, key_id)),
    ]),
  )
}

async function multiplyMessages(database: TestDatabase, count: number): Promise<void> {
  const columns = `subject, brand_key, url, host, key_id, encrypted_key, body, sequence, delivery_id,
    attempt_count, cycle, next_at, claimed_until, created_at, settled_at`
  const text = `INSERT INTO outbox_message (merchant, id, idempotency_key, state, ${columns})
    SELECT merchant, id || '-' || n, idempotency_key || n, 'delivered', ${columns}
    FROM (SELECT * FROM outbox_message ORDER BY merchant, id LIMIT 1) AS one, generate_series(1, $1) AS n`
  await database.pool.run({ name: '', text }, [count])
}

async function countWith(database: TestDatabase, keyId: string): Promise<number> {
  const text = `SELECT count(*) AS count FROM outbox_message WHERE encrypted_key LIKE 's2.' || $1 || '.%'`
  const row = await database.pool.row<{ count: bigint }>({ name: 'test-count-encrypted', text }, [keyId])
  return Number(row?.count)
}

const oldIsRequired = 'SLUICE_MASTER_KEY_OLD is required'
const isNotTheKey = 'not the key that this database was encrypted with'
const newest = listRecorded().at(-1) as string

describe('a master key that is replaced', () => {
  test('opens everything until it is encrypted anew, which a kill does not harm; then the old one is needed no more', async () => {
    const { database, key: old } = await restoreRelease(newest)
    const key = newKey()
    const both = { SLUICE_MASTER_KEY: key, SLUICE_MASTER_KEY_OLD: old }
    const cli = (args: string, settings: Settings) =>
      startCli(args.split(' '), {
        cwd: place.folder.path,
        env: { DATA_DIR: place.folder.path, ...settingsOf(database, settings) },
      })
    await start(database, { SLUICE_MASTER_KEY: old })
    await multiplyMessages(database, 4_000)
    const before = await openAll(database, new Secrets(old, systemRandom))
    expect(before.size).toBeGreaterThan(4_000)

    expect(await start(database, both)).toContain('SLUICE_MASTER_KEY_OLD is still needed')
    expect(await masterKeyCheckOf(database)).toMatchObject([
      { key_id: idOf(key), previous_key_id: idOf(old) },
    ])
    for (const alone of [key, old])
      expect(await apiError(database, { SLUICE_MASTER_KEY: alone })).toContain(
        alone === key ? oldIsRequired : isNotTheKey,
      )

    // The last batch waits for a locked row, so that the kill interrupts the run.
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT id FROM outbox_message ORDER BY merchant DESC, id DESC LIMIT 1 FOR UPDATE')
    const killed = cli('secrets reencrypt', both)
    const hasBegun = () => killed.said.stderr.includes('messages:')
    expect(await until(() => hasBegun() || killed.child.exitCode !== null, 60_000)).toBe(true)
    killed.child.kill('SIGKILL')
    await killed.ended
    await holder.end()
    const done = await countWith(database, idOf(key))
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(4_000)
    expect(await openAll(database, new Secrets(key, systemRandom, [old]))).toEqual(before)
    expect(await apiError(database, { SLUICE_MASTER_KEY: key })).toContain(oldIsRequired)

    const reencrypted = await cli('secrets reencrypt', both).ended
    expect([reencrypted.code, reencrypted.stderr]).toEqual([0, reencrypted.stderr])
    expect(reencrypted.stdout).toContain('SLUICE_MASTER_KEY_OLD is no longer needed')
    expect(await openAll(database, new Secrets(key, systemRandom))).toEqual(before)
    const again = JSON.parse((await cli('secrets reencrypt --json', both).ended).stdout)
    expect(again).toMatchObject({ ok: true, reencrypted: { keys: 0, receipts: 0, messages: 0 } })

    expect(await start(database, { SLUICE_MASTER_KEY: key })).not.toContain('SLUICE_MASTER_KEY_OLD')
    expect(await apiError(database, { SLUICE_MASTER_KEY: old })).toContain(isNotTheKey)

    // The audit log verifies only with all the keys under which it was written.
    expect((await cli('audit verify --json', both).ended).code).toBe(0)
    const alone = await cli('audit verify', { SLUICE_MASTER_KEY: key }).ended
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('was changed')])
    const formerKeys = join(place.safe.path, 'former-keys')
    writeFileSync(formerKeys, `${newKey()}\n${old}\n`, { mode: 0o600 })
    const verify = `audit verify --json --old-keys ${formerKeys}`
    const whole = await cli(verify, { SLUICE_MASTER_KEY: key }).ended
    expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, broken: [] })
  })

  test('leaves what opens with neither key as it is, names it, and ends with 1', async () => {
    const { database, key: old } = await restoreRelease(newest)
    const both = { SLUICE_MASTER_KEY: newKey(), SLUICE_MASTER_KEY_OLD: old }
    await start(database, both)
    const lost = { name: 'test-lose', text: "UPDATE api_key SET encrypted = 's1.AAAA' WHERE id = $1" }
    const [first] = await database.pool.rows<{ id: string }>({
      name: 'test-first-key',
      text: 'SELECT id FROM api_key ORDER BY id LIMIT 1',
    })
    await database.pool.run(lost, [first?.id ?? ''])
    const { code, stdout } = await startCli(['secrets', 'reencrypt', '--json'], {
      cwd: place.folder.path,
      env: { DATA_DIR: place.folder.path, ...settingsOf(database, both) },
    }).ended
    const outcome = JSON.parse(stdout)
    expect([code, outcome.ok, outcome.lostCount]).toEqual([1, false, 1])
    expect(outcome.lost[0]).toContain(first?.id)
    expect(await masterKeyCheckOf(database)).toMatchObject([{ previous_key_id: null }])
  })
})

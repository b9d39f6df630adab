import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditAnchor } from '../../../src/access/audit/anchor-audit.ts'
import { type ChainFinding, verifyAudit } from '../../../src/access/audit/verify-audit.ts'
import { RefusedAttempts } from '../../../src/access/limits/refused-attempts.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import { runToRest, startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'
import { appendEntry } from './append-entry.ts'

const account = newWallet()
const api = perFile(() => startApi({ operatorWallets: [account.wallet] }))
let merchant: TestMerchant

beforeEach(async () => {
  merchant = await api.addMerchant()
  for (let i = 1; i <= 4; i++) await act(i)
})

const act = (i: number) => appendEntry(api, merchant.wallet, i)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const sql = (text: string, ...values: (string | bigint | null)[]) =>
  api.database.pool.run({ name: `test-${sha256(text).slice(0, 12)}`, text }, [merchant.wallet, ...values])

async function verify(anchors?: readonly AuditAnchor[], secrets = api.needs.secrets): Promise<ChainFinding> {
  const needs = { db: api.database.pool, secrets }
  for await (const chain of verifyAudit(needs, { merchant: merchant.wallet, anchors })) return chain
  throw new Error('no chain was looked at')
}

async function anchor(): Promise<AuditAnchor[]> {
  const lines: string[] = []
  const log = makeLog('info', { write: (line) => void lines.push(line) })
  await runToRest(api.job(jobNames.anchorAudit, { log }))
  return lines
    .flatMap((line) => JSON.parse(line).auditHeads as AuditAnchor[])
    .filter((head) => head.merchant === merchant.wallet)
}

describe('the audit log is keyed', () => {
  test('what was written is whole, under the service’s master key and under no other', async () => {
    expect(await verify()).toMatchObject({ entryCount: 4, errors: [] })
    const other = new Secrets('another master key, as long as it must be', systemRandom)
    expect((await verify(undefined, other)).errors).toContain('entry 1 was changed')
  })

  test('whoever can write the database cannot change an entry and hash it anew', async () => {
    await sql("UPDATE audit_entry SET subject = 'forged' WHERE merchant = $1 AND sequence = 2")
    expect((await verify()).errors).toEqual(['entry 2 was changed'])
    type Row = { [name: string]: string | bigint | null }
    const everything = {
      name: 'test-audit-rows',
      text: `SELECT sequence, at, actor, action, subject, details, correlation_id
        FROM audit_entry WHERE merchant = $1 ORDER BY sequence`,
    }
    const rows = await api.database.pool.rows<Row>(everything, [merchant.wallet])
    // An attacker without the audit key can compute only plain hashes.
    let previous = ''
    for (const row of rows) {
      const { sequence, at, actor, action, subject, details, correlation_id } = row
      const fields = [Number(sequence), Number(at), actor, action, subject, details, correlation_id, previous]
      const hash = sha256(JSON.stringify([merchant.wallet, ...fields]))
      const text =
        'UPDATE audit_entry SET previous_hash = $3, hash = $4 WHERE merchant = $1 AND sequence = $2'
      await sql(text, sequence ?? null, previous, hash)
      previous = hash
    }
    await sql('UPDATE audit_head SET hash = $2 WHERE merchant = $1', previous)
    expect((await verify()).errors).toEqual(rows.map((_, i) => `entry ${i + 1} was changed`))
  })

  test('entries dropped, moved, put in or cut off with the head are found', async () => {
    await sql('DELETE FROM audit_entry WHERE merchant = $1 AND sequence = 3')
    expect((await verify()).errors).toContain('entry 4 does not follow the previous entry')
    await sql('DELETE FROM audit_entry WHERE merchant = $1 AND sequence = 4')
    expect((await verify()).errors).toEqual(['its head does not match its last entry'])
  })
})

describe('the head is anchored in the service’s log', () => {
  test('each time it has moved, and only then', async () => {
    const head = { merchant: merchant.wallet, sequence: 4, hash: expect.stringMatching(/^k1\./) }
    expect(await anchor()).toEqual([head])
    expect(await anchor()).toEqual([])
    await act(5)
    expect((await anchor()).map(({ sequence }) => sequence)).toEqual([5])
  })

  test('so that a database put back to an older state is found', async () => {
    const before = await verify()
    await act(5)
    const anchors = await anchor()
    expect((await verify(anchors)).errors).toEqual([])
    await sql('DELETE FROM audit_entry WHERE merchant = $1 AND sequence = 5')
    await sql('UPDATE audit_head SET sequence = 4, hash = $2 WHERE merchant = $1', before.head)
    expect((await verify()).errors).toEqual([])
    const cutOff = 'the log contains entries up to 5, but the last one here is 4'
    expect((await verify(anchors)).errors).toEqual([cutOff])
    await act(6)
    expect((await verify(anchors)).errors).toEqual(['entry 5 differs from its copy in the log'])
    await sql('DELETE FROM audit_entry WHERE merchant = $1')
    await sql('DELETE FROM audit_head WHERE merchant = $1')
    expect((await verify(anchors)).errors.length).toBeGreaterThan(0)
  })
})

describe('refused attempts', () => {
  type Entry = {
    action: string
    subject: string
    details: { attempts: number; addresses: Record<string, number>; subjects: Record<string, number> }
  }
  const entries = async (): Promise<Entry[]> => {
    const session = await logIn(api, account)
    return (await api.call('GET', '/api/audit?limit=200', { session })).body.entries
  }
  const ofKind = async (action: string) => (await entries()).filter((entry) => entry.action === action)
  const wait = (ms: number) => api.clock.advance(ms)
  const flush = () => api.needs.refused.flush()

  test('a failed login and a refused key are entries that the operator reads', async () => {
    // A login to a merchant that the wallet is not a member of.
    const { wallet, ...stranger } = newWallet()
    await logIn(api, { wallet, ...stranger }, merchant.wallet).catch(() => undefined)
    const revoked = merchant.key
    await sql('UPDATE api_key SET revoked_at = 1 WHERE merchant = $1')
    expect((await api.call('GET', '/api/receipts', { key: revoked })).status).toBe(401)
    expect((await api.call('GET', '/api/receipts', { key: 'hunter2-is-my-password' })).status).toBe(401)
    await flush()
    const [login] = await ofKind('login.failed')
    expect(login).toMatchObject({ actor: 'nobody', subject: wallet, details: { attempts: 1 } })
    const [key] = await ofKind('key.refused')
    expect(key?.details).toMatchObject({ attempts: 2, addresses: { '127.0.0.1': 2 } })
    expect(Object.keys(key?.details.subjects ?? {})).toEqual([`${revoked.slice(0, 12)}…${revoked.slice(-4)}`])
    expect(JSON.stringify(await entries())).not.toContain('hunter2')
  })

  test('a flood of them becomes a few entries, each of a bounded size', async () => {
    await wait(24 * 60 * 60_000)
    await flush()
    const before = (await ofKind('login.failed')).length
    // Notes 20 failures every ten seconds for a day. Each iteration is one run of the job.
    for (let i = 0; i < 8_640; i++) {
      for (let j = 0; j < 20; j++) {
        const wallet = `0x${String(i * 20 + j).padStart(40, '0')}`
        api.needs.refused.note('login.failed', `10.0.${i % 250}.${j}`, wallet)
      }
      await flush()
      await wait(10_000)
    }
    const after = await ofKind('login.failed')
    const written = after.length - before
    expect(written).toBeLessThanOrEqual(40)
    expect(written).toBeGreaterThan(20)
    const newest = after[0]?.details
    expect(Object.keys(newest?.subjects ?? {})).toHaveLength(11)
    expect(Object.keys(newest?.addresses ?? {})).toHaveLength(11)
    expect(JSON.stringify(newest).length).toBeLessThan(2_000)
  })

  test('a clock that was a day ahead and is set right keeps none back', async () => {
    const right = api.clock.now()
    const refused = new RefusedAttempts({ ...api.needs, log: makeLog('silent') })
    api.clock.jumpTo(right + 86_400_000)
    refused.note('key.refused', '10.1.1.1', 'sk_test_ahead')
    await refused.flush()
    api.clock.jumpTo(right)
    refused.note('key.refused', '10.1.1.1', 'sk_test_right')
    await refused.flush()
    const subjects = (await ofKind('key.refused')).map(({ subject }) => subject)
    expect(subjects).toEqual(expect.arrayContaining(['sk_test_ahead', 'sk_test_right']))
  })

  test('what cannot be written is kept for the next time', async () => {
    await wait(24 * 60 * 60_000)
    const outage: Pick<Database, 'transaction'> = { transaction: () => Promise.reject(new Error('away')) }
    const away = { ...api.needs, db: outage, log: makeLog('silent') }
    const refused = new RefusedAttempts(away)
    refused.note('key.refused', '10.1.1.1', 'sk_test_kept')
    await expect(refused.flush()).rejects.toThrow('away')
    refused.note('key.refused', '10.1.1.1', 'sk_test_kept')
    away.db = api.database.pool
    await refused.flush()
    const [entry] = await ofKind('key.refused')
    expect(entry?.details).toMatchObject({ attempts: 2, subjects: { sk_test_kept: 2 } })
  })

  test('no merchant reads the platform’s log, and the operator no merchant’s', async () => {
    await wait(24 * 60 * 60_000)
    const owner = await logIn(api, merchant)
    const own = (await api.call('GET', '/api/audit', { session: owner })).body.entries
    expect(own.every((entry: { action: string }) => entry.action !== 'login.failed')).toBe(true)
    const all = await entries()
    expect(all.some(({ subject }) => subject === '4')).toBe(false)
  })
})

test('the log is filtered by who acted, by what was done and by when', async () => {
  const session = await logIn(api, merchant)
  const find = async (query: string) => {
    const { status, body, text } = await api.call('GET', `/api/audit?${query}`, { session })
    expect(status, text).toBe(200)
    return body.entries
  }
  const all = await find('')
  const { actor, action, subject, at } = all[1]
  for (const [query, field, value] of [
    [`actor=${encodeURIComponent(actor)}`, 'actor', actor],
    [`action=${action}`, 'action', action],
    [`subject=${encodeURIComponent(subject)}`, 'subject', subject],
  ]) {
    const found = await find(query)
    expect(found).toEqual(all.filter((entry: Record<string, unknown>) => entry[field] === value))
    expect(found.length).toBeGreaterThan(0)
  }
  expect(await find(`action=${action.split('.')[0]}`)).toEqual(expect.arrayContaining([all[1]]))
  expect(await find(`from=${at + 1}`)).toEqual(all.filter((entry: { at: number }) => entry.at > at))
  expect(await find(`to=${at}`)).toEqual(all.filter((entry: { at: number }) => entry.at < at))
  expect(await find('actor=nobody-like-that')).toEqual([])
})

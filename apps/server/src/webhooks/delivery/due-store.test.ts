import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { enqueueMessage, makeWebhookMerchant } from '../../../test/support/api/webhooks.ts'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { wrapDatabase } from '../../../test/support/database/wrap-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Statement } from '../../platform/database/statement.ts'
import { findNextDue, listDueDeliveries, listMerchantsWithDue } from './due-store.ts'

const longQueue = 8_000
const url = 'https://shop.example.com/hook'
const clock = new TestClock()
const [busy, modest] = [makeWebhookMerchant(), makeWebhookMerchant()]
const of = [busy.wallet, modest.wallet]

const database = perFile(async () => {
  const made = await makeTestDatabase()
  await enqueueMessage(made.pool, clock, busy, { url, subject: 'R-0' })
  await made.pool.run({
    name: '',
    text: `INSERT INTO outbox_message SELECT (jsonb_populate_record(outbox_message, jsonb_build_object('id', 'N-' || n,
        'subject', 'R-' || n, 'next_at', next_at + n))).* FROM outbox_message, generate_series(1, ${longQueue}) AS n`,
  })
  await clock.advance(longQueue / 2)
  for (const subject of ['R-1', 'R-2']) await enqueueMessage(made.pool, clock, modest, { url, subject })
  await made.pool.run({ name: '', text: 'ANALYZE outbox_message' })
  return made
})

const list = (db: Database, full: { merchants?: string[]; hosts?: string[] } = {}, whose = of) =>
  listDueDeliveries(db, {
    of: whose,
    now: clock.now(),
    full: { merchants: [], hosts: [], ...full },
    perMerchant: 4,
    limit: 100,
  })

const findNext = (db: Database) => findNextDue(db, clock.now(), (clock.now() + 10) as never)

const listMerchants = (db: Database) => listMerchantsWithDue(db, { now: clock.now(), after: '', limit: 10 })

function keepSent(sent: Statement[]): Database {
  return wrapDatabase(database.pool, (statement, run) => {
    sent.push(statement)
    return run()
  })
}

async function countLooked(work: (db: Database) => Promise<unknown>): Promise<number> {
  const sent: Statement[] = []
  await work(keepSent(sent))
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  if (isOnCluster) await client.query('SET citus.explain_all_tasks TO on')
  let looked = 0
  for (const { text, values = [] } of sent) {
    const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...values])
    for (const row of rows) looked += lookedAt(row['QUERY PLAN'][0].Plan)
  }
  return looked
}

type Plan = Readonly<Record<string, number>> & {
  readonly Plans?: readonly Plan[]
  readonly 'Distributed Query'?: { readonly Job: { readonly Tasks: readonly Task[] } }
}

type Task = { readonly 'Remote Plan': readonly (readonly { readonly Plan: Plan }[])[] }

function lookedAt({ Plans = [], 'Distributed Query': distributed, ...node }: Plan): number {
  const remote = distributed?.Job.Tasks.flatMap((task) => task['Remote Plan'].flat()) ?? []
  const inside = [...Plans, ...remote.map(({ Plan }) => Plan)].reduce((sum, each) => sum + lookedAt(each), 0)
  const own = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
  return inside + ('Relation Name' in node || 'Index Name' in node ? own * (node['Actual Loops'] ?? 1) : 0)
}

describe('beside a merchant with a long queue', () => {
  test('the first few of each are listed, first places first', async () => {
    const listed = (await list(database.pool)).map(
      ({ merchant, place }) => `${of.indexOf(merchant as never)}: ${place}`,
    )
    expect(listed).toEqual(['0: 1', '1: 1', '0: 2', '1: 2', '0: 3', '0: 4'])
  })

  test('whoever has all he may have is left out, merchants and receivers', async () => {
    const others = await list(database.pool, { merchants: [busy.wallet] })
    expect(others.map(({ merchant }) => merchant)).toEqual([modest.wallet, modest.wallet])
    expect(await list(database.pool, { hosts: [new URL(url).host] })).toEqual([])
    expect(await list(database.pool, { merchants: of })).toEqual([])
  })

  test('who has messages for a full receiver and for another one is listed with those of the other', async () => {
    const mixed = makeWebhookMerchant()
    const other = 'https://other.example.com/hook'
    for (const [i, to] of [url, url, other, url, other].entries())
      await enqueueMessage(database.pool, clock, mixed, { url: to, subject: `R-${i}` })
    const listed = await list(database.pool, { hosts: [new URL(url).host] }, [mixed.wallet])
    const { host } = new URL(other)
    expect(listed.map((each) => [each.host, each.place])).toEqual([
      [host, 1],
      [host, 2],
    ])
  })

  test('who has any that is due is found', async () => {
    expect(await listMerchants(database.pool)).toEqual(expect.arrayContaining(of))
    const page = { now: clock.now(), limit: 10 }
    expect(await listMerchantsWithDue(database.pool, { ...page, after: '' })).toContain(modest.wallet)
    expect(await listMerchantsWithDue(database.pool, { ...page, after: modest.wallet })).not.toContain(
      modest.wallet,
    )
  })

  test('the next that falls due is found', async () => {
    expect(await findNext(database.pool)).toBe(clock.now() + 1)
  })

  test('no more of the queue is read than is listed', async () => {
    expect(await countLooked(list)).toBeLessThan(20)
    expect(await countLooked(findNext)).toBeLessThan(20)
    expect(await countLooked(listMerchants)).toBeLessThan(20)
  })

  test('a queue that waits for a full receiver is not read to its end', async () => {
    const hosts = [new URL(url).host]
    expect(await countLooked((db) => list(db, { hosts }))).toBeLessThan(1_100)
  })
})

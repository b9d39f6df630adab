import { afterEach, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import {
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
} from '../../support/api/webhooks.ts'
import { isOnCluster } from '../../support/database/on-cluster.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perCase, perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { findBrokenDeliveries, holdRows, startWebhookProcess } from './webhook-process.ts'

/** The service's limits: concurrent delivery attempts, and messages per claim. */
const mostUnderWay = 1_024
const claimedAtOnce = 256

const database = perFile(makeTestDatabase)
const clock = perCase(() => new TestClock())
const receiver = perCase(() => startWebhookReceiver(() => clock.now()))
const otherReceiver = perCase(() => startWebhookReceiver(() => clock.now()))

afterEach(async () => {
  expect(await findBrokenDeliveries(database.pool, clock.now())).toEqual([])
  await run('DELETE FROM delivery_attempt')
  await run('DELETE FROM outbox_message')
})

async function run(text: string, values: readonly string[][] = []): Promise<void> {
  await database.pool.run({ name: '', text }, values)
}

type TestMerchant = ReturnType<typeof makeWebhookMerchant>

const makeMerchants = (count: number) => Array.from({ length: count }, makeWebhookMerchant)

/**
 * Enqueues a message for each merchant. Each merchant has its own host, so that per-host limits do not apply.
 */
async function oweEach(merchants: readonly TestMerchant[], subject: string): Promise<void> {
  const { url } = receiver
  for (let at = 0; at < merchants.length; at += 50)
    await Promise.all(
      merchants
        .slice(at, at + 50)
        .map((merchant) => enqueueMessage(database.pool, clock, merchant, { url, subject })),
    )
  await run('UPDATE outbox_message SET host = merchant')
}

test('a message that falls due while a burst is delivered is attempted at its time', async () => {
  const [late, ...served] = makeMerchants(101)
  if (!late) throw new Error('there are merchants')
  await oweEach(served, 'R-1')
  const process = await startWebhookProcess(database, { clock })
  try {
    await until(clock, () => receiver.received.length === served.length, 'the first messages')
    const held: (() => void)[] = []
    receiver.behave = () => new Promise((resolve) => held.push(() => resolve(200)))
    // Merchants without an attempt so far come first, and fill the limit.
    await oweEach([...makeMerchants(mostUnderWay), ...served], 'R-2')
    const dueAt = clock.now() + 400
    const { url } = otherReceiver
    await enqueueMessage(database.pool, { now: () => dueAt as ReturnType<typeof clock.now> }, late, { url })
    process.nudge()
    await until(clock, async () => (await countClaimed()) === mostUnderWay, 'the burst to be under way')
    await clock.advance(400)
    let answered = 0
    const respondToSome = () => {
      for (; answered < 40 && held.length > 0; answered++) held.shift()?.()
      return otherReceiver.received.length === 1
    }
    await until(clock, respondToSome, 'the message that fell due, without the clock moving')
    expect(otherReceiver.received[0]?.at).toBe(dueAt)
  } finally {
    await process.stop()
  }
})

async function countClaimed(): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM outbox_message WHERE claimed_until > 0 AND state = 'pending'`
  return (await database.pool.row<{ count: number }>({ name: '', text }))?.count ?? 0
}

test.skipIf(isOnCluster)(
  'messages that cannot be claimed leave the others on the list where they are: these are attempted at once',
  async () => {
    const merchants = makeMerchants(claimedAtOnce + 44)
    const first = merchants.slice(0, claimedAtOnce)
    await oweEach(merchants, 'R-1')
    await run('UPDATE outbox_message SET cycle = 1')
    await run('UPDATE outbox_message SET next_at = next_at - 1000 WHERE merchant = ANY($1)', [
      first.map(({ wallet }) => wallet),
    ])
    const letGo = await holdRows(database.pool, first)
    const process = await startWebhookProcess(database, { clock })
    try {
      await until(clock, () => receiver.received.length === 44, 'the others, without the clock moving')
      await letGo()
      await until(clock, () => receiver.received.length === merchants.length, 'the first ones', 10)
    } finally {
      await letGo()
      await process.stop()
    }
  },
)

// The rows are never sent, so it does not matter whether their keys can be decrypted.
const heldLists = [
  ['more than are claimed at once', 300, 'merchant'],
  ['as many as are listed at once, for one receiver', 4_000, `'one'`],
] as const

test.skipIf(isOnCluster).each(heldLists)(
  'messages whose rows somebody holds, %s, are listed a few times a second',
  async (_, count, host) => {
    const merchants = makeMerchants(count)
    const [first, ...others] = merchants
    if (!first) throw new Error('there are merchants')
    await oweEach([first], 'R-1')
    const of = others.map(({ wallet }) => wallet)
    await run(`INSERT INTO merchant (merchant, name, created_at) SELECT unnest($1::text[]), '', 0`, [of])
    await run(
      `INSERT INTO outbox_message SELECT (jsonb_populate_record(outbox_message, jsonb_build_object('merchant', w))).*
        FROM outbox_message, unnest($1::text[]) AS w`,
      [of],
    )
    await run(`UPDATE outbox_message SET cycle = 1, host = ${host}`)
    const letGo = await holdRows(database.pool, merchants)
    const listed = countRuns('list-due-messages')
    const process = await startWebhookProcess(database, { clock, between: listed.between })
    const start = clock.now()
    try {
      await until(clock, () => clock.now() >= start + 3_000, 'three seconds', 10)
      expect(listed.count()).toBeLessThanOrEqual(11)
      // On a slow machine, a list this long may take more than three seconds of the test's clock.
      await until(clock, () => listed.count() > 1, 'the next list', 10)
    } finally {
      await process.stop()
      await letGo()
    }
  },
)

function countRuns(name: string) {
  let count = 0
  const between = (db: Database) =>
    wrapDatabase(db, (statement, runIt) => {
      if (statement.name === name) count += 1
      return runIt()
    })
  return { between, count: () => count }
}

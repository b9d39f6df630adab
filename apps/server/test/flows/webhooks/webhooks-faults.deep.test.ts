import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import { DatastoreAway } from '../../../src/platform/database/degraded.ts'
import { listDueDeliveries } from '../../../src/webhooks/delivery/due-store.ts'
import { settleAttempt } from '../../../src/webhooks/delivery/settle-attempt.ts'
import { listDeliveries } from '../../../src/webhooks/list-deliveries.ts'
import { claimDeliveries } from '../../../src/webhooks/store.ts'
import {
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
} from '../../support/api/webhooks.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perCase, perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { findBrokenDeliveries, startWebhookProcess, type WebhookProcess } from './webhook-process.ts'

const database = perFile(makeTestDatabase)
const clock = perCase(() => new TestClock())
const receiver = perCase(() => startWebhookReceiver(() => clock.now()))
const processes: WebhookProcess[] = []

afterEach(async () => {
  for (const process of processes.splice(0)) await process.stop()
  expect(await findBrokenDeliveries(database.pool, clock.now())).toEqual([])
  await rows('DELETE FROM delivery_attempt')
  await rows('DELETE FROM outbox_message')
})

const rows = <Row extends object>(text: string) => database.pool.rows<Row>({ name: '', text })

async function start(
  options: Pick<NonNullable<Parameters<typeof startWebhookProcess>[1]>, 'deathAt' | 'between'> = {},
): Promise<WebhookProcess> {
  const process = await startWebhookProcess(database, { clock, ...options })
  processes.push(process)
  return process
}

const owe = (merchant = makeWebhookMerchant(), message: Partial<Parameters<typeof enqueueMessage>[3]> = {}) =>
  enqueueMessage(database.pool, clock, merchant, { url: receiver.url, ...message })

const countOf = async (state: string) =>
  (await rows(`SELECT id FROM outbox_message WHERE state = '${state}'`)).length

const delivered = (count: number, stepMs = 0) =>
  until(clock, async () => (await countOf('delivered')) === count, `${count} delivered`, stepMs)

test('a process killed before any statement of its work loses nothing, and the key stays the same', async () => {
  let deathAt = 1
  for (let isSurvivor = false; !isSurvivor; deathAt++) {
    const seen = receiver.received.length
    const failing = new Set<string>()
    receiver.behave = ({ path, headers }) => {
      const isFirst = !failing.has(path)
      failing.add(path)
      return headers['x-service-idempotency-key']?.includes('fails-once') && isFirst ? 500 : 200
    }
    const merchant = makeWebhookMerchant()
    const subjects = ['plain', 'fails-once']
    for (const subject of subjects)
      await owe(merchant, { url: `${receiver.url}/${deathAt}/${subject}`, subject: `${subject}-${deathAt}` })
    const isDone = async () => (await countOf('pending')) === 0
    const first = await start({ deathAt })
    await until(clock, async () => first.isDead() || (await isDone()), 'the end of one or the other', 500)
    isSurvivor = !first.isDead()
    await first.kill()
    await start()
    await until(clock, isDone, 'delivery by the next process', 500)
    await processes.pop()?.stop()

    const requests = receiver.received.slice(seen)
    for (const subject of subjects) {
      const own = requests.filter(({ path }) => path.endsWith(`/${subject}`))
      expect(own.length).toBeGreaterThanOrEqual(1)
      expect(own.length).toBeLessThanOrEqual(4)
      for (const name of ['x-service-idempotency-key', 'webhook-id'])
        expect(new Set(own.map(({ headers }) => headers[name])).size).toBe(1)
    }
    expect(await findBrokenDeliveries(database.pool, clock.now())).toEqual([])
  }
  expect(deathAt, 'every statement of a delivery has been a last one').toBeGreaterThan(12)
})

test('what a stopped process was sending is free at once and counts as no attempt', async () => {
  receiver.behave = () => 'hang'
  const merchant = makeWebhookMerchant()
  await owe(merchant)
  const first = await start()
  await until(clock, () => receiver.received.length === 1, 'the first request')
  await first.stop()
  const free = { state: 'pending', attempt_count: 0n, claimed_until: 0n, claim_token: null }
  expect(await rows('SELECT state, attempt_count, claimed_until, claim_token FROM outbox_message')).toEqual([
    free,
  ])

  receiver.behave = () => 200
  await start()
  await delivered(1)
  const [one, two] = receiver.received.map(({ headers }) => headers['x-service-delivery'])
  expect(one).toBe(two)
})

async function claimAll(merchant: Wallet, token: string) {
  const now = clock.now()
  const full = { merchants: [], hosts: [] }
  const due = await listDueDeliveries(database.pool, {
    of: [merchant],
    now,
    full,
    perMerchant: 4,
    limit: 10,
  })
  return claimDeliveries(database.pool, due, { now, until: addMs(now, 15_000), token })
}

test('what a frozen process had begun to send is sent by another once its claim runs out', async () => {
  const merchant = makeWebhookMerchant()
  await owe(merchant)
  expect(await claimAll(merchant.wallet, 'frozen:1')).toHaveLength(1)
  const frozenAt = clock.now()
  await start()
  await delivered(1, 500)
  expect(clock.now() - frozenAt).toBeGreaterThanOrEqual(15_000)
})

test('a process that was away while its claim ran out writes nothing over what came since', async () => {
  const merchant = makeWebhookMerchant()
  await owe(merchant)
  const claim = (token: string) => claimAll(merchant.wallet, token)
  const [late] = await claim('late')
  expect(await claim('too early')).toEqual([])
  clock.jumpTo(clock.now() + 15_000)
  const [prompt] = await claim('prompt')
  if (!late || !prompt) throw new Error('both have claimed it in their time')

  const attempt = { startedAt: clock.now(), endedAt: clock.now(), status: 500, error: undefined }
  const needs = { db: database.pool, random: systemRandom }
  await settleAttempt(needs, late, attempt)
  await settleAttempt(needs, prompt, { ...attempt, status: 200 })
  await settleAttempt(needs, late, attempt)
  const reported = { state: 'delivered', attempts: [{ attempt: 1, status: 200 }] }
  expect(await listDeliveries({ db: database.pool }, merchant.wallet, 'R-1')).toMatchObject([reported])
})

test('webhooks go out while the list of merchants who have any cannot be checked', async () => {
  await start({
    between: (db) =>
      wrapDatabase(db, ({ name }, run) =>
        name === 'list-merchants-with-pending-messages'
          ? Promise.reject(new DatastoreAway('canceling statement due to statement timeout'))
          : run(),
      ),
  })
  await owe()
  await delivered(1, 500)
})

test('a message that was set aside is off the list once a newer one takes its place', async () => {
  const merchant = makeWebhookMerchant()
  const id = await owe(merchant)
  await owe(merchant, { sequence: 2n })
  await rows(`UPDATE outbox_message SET cycle = 1 WHERE id = '${id}'`)
  await rows(`INSERT INTO deferred_item (job, merchant, item, kind, reason, since, tries, next_try)
    VALUES ('deliver-webhooks', '${merchant.wallet}', 'message ${id}', 'other', 'a broken row', 0, 1, ${clock.now() + 3_600_000})`)
  await start()
  await delivered(1)
  await until(clock, async () => (await countOf('superseded')) === 1, 'the older one to be superseded')
  const isOff = async () => (await rows('SELECT item FROM deferred_item')).length === 0
  await until(clock, isOff, 'it to be off the list')
})

test('a hundred hanging receivers do not delay another merchant', async () => {
  const receivers = Array.from({ length: 100 }, () => startWebhookReceiver(() => clock.now()))
  const hanging = await Promise.all(receivers)
  onTestFinished(() => Promise.all(hanging.map((one) => one.close())).then(() => {}))
  for (const one of hanging) {
    one.behave = () => 'hang'
    const merchant = makeWebhookMerchant()
    for (const subject of ['R-1', 'R-2', 'R-3', 'R-4', 'R-5']) await owe(merchant, { url: one.url, subject })
  }
  const process = await start()
  await until(clock, () => hanging.every((one) => one.received.length > 0), 'all of them to hang')
  expect(hanging.every((one) => one.received.length <= 4)).toBe(true)

  const owedAt = clock.now()
  await owe()
  process.nudge()
  await until(clock, () => receiver.received.length === 1, 'the patient merchant')
  expect(receiver.received[0]?.at).toBe(owedAt)
  await process.stop()
})

test('a merchant with a long queue at a receiver leaves room for another merchant there', async () => {
  const [busy, modest] = [makeWebhookMerchant(), makeWebhookMerchant()]
  for (let i = 0; i < 120; i++) await owe(busy, { url: `${receiver.url}/busy`, subject: `R-${i}` })
  await owe(modest, { url: `${receiver.url}/modest` })
  await start()
  await until(clock, async () => (await countOf('pending')) === 0, 'the end of the queue')
  expect(receiver.received.findIndex(({ path }) => path === '/modest')).toBeLessThan(10)
  expect(receiver.received).toHaveLength(121)
})

test('of two processes one sends each message, once', async () => {
  const [one, two] = [await start(), await start()]
  const merchants = Array.from({ length: 40 }, makeWebhookMerchant)
  for (const merchant of merchants)
    for (const subject of ['R-1', 'R-2', 'R-3']) await owe(merchant, { subject })
  one.nudge()
  two.nudge()
  await delivered(120)
  expect(receiver.received).toHaveLength(120)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(120)
})

test('when one process dies, the other sends what is due at once', async () => {
  const [one, two] = [await start(), await start()]
  await one.kill()
  for (const merchant of Array.from({ length: 20 }, makeWebhookMerchant)) await owe(merchant)
  two.nudge()
  await delivered(20)
})

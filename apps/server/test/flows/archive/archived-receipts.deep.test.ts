import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { archiveReceiptsJob } from '../../../src/payments/archiving/archive-receipts.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { archiveAfterDays, archiveAfterMs, archiveAll, listArchived } from '../../support/api/archive.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { paidFacts } from '../../support/api/merchant-api.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(() => startApi({ archiveAfterDays }))
const beside = perFile(() => startApi({ archiveAfterDays, beside: world }))

const buyer = {
  billingEmail: 'ada@example.com',
  billingFirstName: 'Ada',
  metadata: { order: 'A-17', big: 9_007_199_254_740_991 },
  transactionId: 'T-17',
}

async function make(key: string, id: string, more: object = {}, usd = 3.5): Promise<void> {
  const made = await world.call('POST', '/api/receipts', { key, body: receiptBody(id, usd, more) })
  expect(made.status, made.text).toBe(201)
}

async function read(key: string, path: string) {
  const answer = await world.call('GET', path, { key })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Everything a merchant and a buyer can read of a receipt, but for a signature that says when it was made. */
async function readAll({ key, wallet }: TestMerchant, id: string) {
  const { privateReceiptUrl, ...detail } = await read(key, `/api/receipts/${id}`)
  return {
    detail,
    isPrivate: privateReceiptUrl !== null,
    status: await read(key, `/api/receipts/status?receiptId=${id}`),
    timeline: await read(key, `/api/receipts/${id}/timeline`),
    terminal: await read(key, `/api/terminal/check-payment?receiptId=${id}`),
    money: await read(key, `/api/receipts/${id}/money`),
    checkout: await read(key, `/api/checkout/${id}?recipient=${wallet}`),
  }
}

/** A merchant with receipts that ended in every way, and two that did not; all of them old. */
async function startOld(): Promise<TestMerchant> {
  const merchant = await world.addMerchant({ name: 'Old Door' })
  const { key, wallet } = merchant
  for (const id of ['failed', 'cancelled', 'open', 'asked-back']) await make(key, id)
  await make(key, 'paid', buyer)
  await make(key, 'expired', { expiresAt: world.clock.now() + 3_600_000 })
  const told = { receiptId: 'paid', wallet, status: 'link_opened' }
  expect((await world.call('POST', '/api/receipts/status', { body: told })).status).toBe(200)
  await world.move(wallet, 'paid', 'payment_verified', { paid: paidFacts })
  await world.move(wallet, 'failed', 'failure_verified')
  await world.move(wallet, 'asked-back', 'payment_verified', { paid: paidFacts })
  await world.move(wallet, 'asked-back', 'refund_requested')
  const cancelled = await world.call('POST', '/api/receipts/cancelled/cancel', { key, body: {} })
  expect(cancelled.status, cancelled.text).toBe(200)
  await world.clock.advance(archiveAfterMs)
  return merchant
}

const closedOnes = ['cancelled', 'expired', 'failed', 'paid']

async function post(merchant: TestMerchant, path: string, body: object) {
  const session = await logInAs(world, merchant.wallet, 'owner')
  return world.call('POST', path, { session, body })
}

test('what is closed and old moves to the archive, and is read by its id as before, by its merchant alone', async () => {
  const merchant = await startOld()
  const before = await Promise.all(closedOnes.map((id) => readAll(merchant, id)))
  await archiveAll(world)
  expect(await listArchived(world, merchant.wallet)).toEqual(closedOnes)
  expect(await Promise.all(closedOnes.map((id) => readAll(merchant, id)))).toEqual(before)
  expect(before.map(({ isPrivate }) => isPrivate)).toEqual([false, false, false, true])
  // Reading moves nothing.
  expect(await listArchived(world, merchant.wallet)).toEqual(closedOnes)

  const other = await world.addMerchant()
  for (const path of ['paid', 'status?receiptId=paid', 'paid/timeline'])
    expectApiError(
      await world.call('GET', `/api/receipts/${path}`, { key: other.key }),
      404,
      'not_found',
      path,
    )
})

test('lists have what is current; counts and totals stay what they were, also counted anew', async () => {
  const merchant = await startOld()
  const { key } = merchant
  const first = (await read(key, '/api/receipts/paid')).createdAt
  const paths = ['', `?from=${first - 1000}&to=${first + 1000}`, '?interval=month']
  const count = () => Promise.all(paths.map((path) => read(key, `/api/receipts/summary${path}`)))
  const before = await count()
  await archiveAll(world)
  expect(await count()).toEqual(before)
  const ids = (await read(key, '/api/receipts')).receipts.map(
    ({ receiptId }: { receiptId: string }) => receiptId,
  )
  expect(ids.toSorted()).toEqual(['asked-back', 'open'])
  for (const q of ['ada@example.com', 'T-17'])
    expect((await read(key, `/api/receipts?q=${q}`)).receipts).toEqual([])
  await world.clock.advance(86_400_000)
  await world.run(jobNames.keepTallies)
  expect((await count()).slice(0, 2)).toEqual(before.slice(0, 2))
  expect(await count()).toMatchObject([{ count: 6 }, { count: 6 }, {}])
})

test('what moved is counted', async () => {
  await startOld()
  const metrics = new Metrics(async () => [])
  const job = archiveReceiptsJob({ ...world.needs, holder: 'counting', metrics }, archiveAfterDays)
  while ((await job.run(new AbortController().signal)) !== 'done');
  expect((await metrics.write()).text).toContain(`sluice_receipts_archived_total ${closedOnes.length}\n`)
})

test('an archived id is taken for ever: alone, in a batch of many, and with a key', async () => {
  const merchant = await startOld()
  const { key, wallet } = merchant
  await archiveAll(world)
  const send = (id: string, more: object = {}, usd = 3.5, headers = {}, by = key) =>
    world.call('POST', '/api/receipts', { key: by, body: receiptBody(id, usd, more), headers })

  const again = await send('paid', buyer)
  expect([again.status, again.body]).toEqual([
    201,
    expect.objectContaining({ id: 'paid', status: 'pending' }),
  ])
  expectApiError(await send('paid', {}, 9), 409, 'receipt_exists')
  expectApiError(await send('paid', {}, 9, { 'idempotency-key': 'one' }), 409, 'receipt_exists')
  expect((await send('failed', {}, 3.5, { 'idempotency-key': 'two' })).status).toBe(201)
  expect(await listArchived(world, wallet)).toEqual(closedOnes)

  const other = await world.addMerchant()
  const many = await Promise.all([
    send('failed', {}, 9),
    ...Array.from({ length: 20 }, (_, i) => send(`new-${i}`)),
    ...Array.from({ length: 20 }, (_, i) => send(`new-${i}`, {}, 3.5, {}, other.key)),
    send('failed', {}, 9, {}, other.key),
  ])
  expect(many.map(({ status }) => status)).toEqual([409, ...Array.from({ length: 41 }, () => 201)])
})

test('whoever writes moves it back first: what happens then is as to any other', async () => {
  const merchant = await startOld()
  const { key, wallet } = merchant
  await archiveAll(world)
  const refund = { receiptId: 'paid', wallet, buyer: wallet, usd: 1.5, items: [] }
  const refunded = await post(merchant, '/api/receipts/refund', refund)
  expect(refunded.status, refunded.text).toBe(200)
  const paid = await readAll(merchant, 'paid')
  expect(paid.detail).toMatchObject({ status: 'paid', refunds: [{ usd: 1.5 }], metadata: buyer.metadata })
  const kinds = paid.timeline.entries.map(({ kind }: { kind: string }) => kind)
  expect(kinds.toSorted()).toEqual(['checkout_event', 'created', 'refund_logged', 'status'])
  const success = { receiptId: 'failed', wallet, status: 'checkout_success' }
  expect((await post(merchant, '/api/receipts/status', success)).status).toBe(200)
  expect((await read(key, '/api/receipts/status?receiptId=failed')).status).toBe('paid')
  expect((await world.call('POST', '/api/receipts/expired/cancel', { key, body: {} })).status).toBe(200)
  expect(await listArchived(world, wallet)).toEqual(['cancelled'])
  // It is found by what it was found by, and counted once.
  for (const q of ['ada@example.com', 'T-17', 'A-17'])
    expect((await read(key, `/api/receipts?q=${q}`)).receipts).toMatchObject([{ receiptId: 'paid' }])
  await world.clock.advance(86_400_000)
  await world.run(jobNames.keepTallies)
  expect((await read(key, '/api/receipts/summary')).count).toBe(6)

  // Closed again by what happened to it, it leaves again once that is old.
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(['cancelled'])
  await world.clock.advance(archiveAfterMs)
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(closedOnes)
  expect((await readAll(merchant, 'paid')).detail).toEqual(paid.detail)
})

test('what is refused leaves it where it is', async () => {
  const merchant = await startOld()
  const { wallet } = merchant
  await archiveAll(world)
  const tooMuch = { receiptId: 'paid', wallet, buyer: wallet, usd: 99 }
  expectApiError(await post(merchant, '/api/receipts/refund', tooMuch), 400, 'invalid_usd')
  const stranger = await world.addMerchant()
  const foreign = { receiptId: 'paid', wallet: stranger.wallet, buyer: wallet, usd: 1 }
  expectApiError(await post(stranger, '/api/receipts/refund', foreign), 404, 'not_found')
  expect(await listArchived(world, wallet)).toEqual(closedOnes)
})

test('a receipt with a webhook that is not delivered stays, and leaves once nothing is owed', async () => {
  const { key, wallet } = await world.addMerchant()
  await make(key, 'owed', { webhook_url: 'https://merchant.example.com/hook' })
  await world.move(wallet, 'owed', 'failure_verified')
  await world.clock.advance(archiveAfterMs)
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual([])
  const text = `UPDATE notice SET state = 'exhausted' WHERE merchant = '${wallet}'`
  await world.database.pool.run({ name: '', text })
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(['owed'])
  expect((await read(key, '/api/receipts/owed')).status).toBe('failed')
})

test('two processes that archive at once, while others write, move each receipt once', async () => {
  const { key, wallet } = await world.addMerchant()
  const ids = Array.from({ length: 60 }, (_, i) => `busy-${String(i).padStart(2, '0')}`)
  await Promise.all(ids.map((id) => make(key, id)))
  for (const id of ids) await world.move(wallet, id, 'failure_verified')
  await world.clock.advance(archiveAfterMs)
  const late = (at: number) =>
    world.move(wallet as Wallet, ids[at] ?? '', 'payment_verified', { paid: paidFacts })
  await Promise.all([
    archiveAll(world),
    archiveAll(beside),
    ...[0, 7, 14, 21, 28].map(late),
    make(key, 'busy-30'),
    make(key, 'busy-31'),
  ])
  await Promise.all([archiveAll(world), ...[35, 42].map(late), late(35)])
  const archived = await listArchived(world, wallet)
  const statuses = await Promise.all(ids.map((id) => read(key, `/api/receipts/status?receiptId=${id}`)))
  const paid = ids.filter((_, i) => statuses[i].status === 'paid')
  expect(paid).toEqual([0, 7, 14, 21, 28, 35, 42].map((at) => ids[at]))
  expect(archived).toEqual(ids.filter((id) => !paid.includes(id)))
  expect(await read(key, '/api/receipts/summary')).toMatchObject({
    count: 60,
    byStatus: { paid: 7, failed: 53 },
  })
})

import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { keptBelowFinal } from '../../../src/payments/cursors/store.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { startProxiedPayments } from './watched-payments.ts'

const hourSeconds = 3_600

const context = perFile(startProxiedPayments)
beforeEach(() => context.syncClock())

test('a surplus that was applied elsewhere before the hourly look stops nobody, and counts once', async () => {
  const attempt = await context.open('surplus', 20, 'USDC')
  const bystander = await context.open('bystander', 20, 'USDC')
  await context.open('elsewhere', 20, 'USDC')
  await context.pay(attempt, 'transfer')
  await context.lookAfter(23.5 * hourSeconds)
  expect(await context.status('surplus')).toBe('paid')
  const { hash } = await context.pay(attempt, 'transfer', BigInt(attempt.amount))
  await context.passTime(60)
  await context.scan()
  await apply(hash, 'elsewhere')
  expect(await context.status('elsewhere')).toBe('paid')

  await context.passTime(2 * hourSeconds)
  await context.scan()
  await context.pay(bystander, 'transfer')
  await context.lookAfter(2 * hourSeconds)
  expect(await context.status('bystander')).toBe('paid')
  expect(await context.payment('elsewhere')).toMatchObject({ received: attempt.amount })
  expect(await context.payment('surplus')).toMatchObject({ received: attempt.amount })
  expect(await defer()).toEqual([])
})

describe('a receipt that cannot be settled', () => {
  test('is set aside with its reason, once said, while others are paid; mended, it is paid with what came', async () => {
    const broken = await context.open('broken', 20, 'USDC')
    const sound = await context.open('sound', 20, 'USDC')
    await breakAttempts('broken')
    await context.pay(broken, 'transfer', BigInt(broken.amount) / 2n)
    await context.payAndScan(sound, 'transfer')
    expect(await context.status('sound')).toBe('paid')
    const reason = expect.stringContaining('a token is never removed from the list')
    const deferred = { job: 'scan-transfers', item: 'receipt broken', reason, tries: 1 }
    expect(await defer()).toMatchObject([deferred])

    await context.payAndScan(broken, 'transfer', BigInt(broken.amount) - BigInt(broken.amount) / 2n)
    for (let i = 0; i < 5; i++) await context.passTime(20)
    await context.scan()
    await context.scan()
    expect((await defer())[0]?.tries).toBeGreaterThan(1)
    expect(alerts('receipt broken')).toHaveLength(1)

    await mendAttempts('broken')
    await passHour()
    expect(await context.payment('broken')).toMatchObject({ status: 'paid', received: broken.amount })
    expect(await defer()).toEqual([])
    expect(await context.messages('broken')).toHaveLength(1)
  })

  test('is paid in the end also where its id looks like a number of the records', async () => {
    const attempt = await context.open('42n', 20, 'USDC')
    await breakAttempts('42n')
    await context.payAndScan(attempt, 'transfer')
    expect(await defer()).toMatchObject([{ item: 'receipt 42n' }])
    await mendAttempts('42n')
    await passHour()
    expect(await context.payment('42n')).toMatchObject({ status: 'paid', received: attempt.amount })
    expect(await defer()).toEqual([])
  })

  test('loses and doubles nothing when the block of its money is replaced meanwhile', async () => {
    const attempt = await context.open('moved', 20, 'ETH')
    await breakAttempts('moved')
    const { raw } = await context.payAndScan(attempt, 'transfer')
    expect(await defer()).toMatchObject([{ item: 'receipt moved' }])
    await context.chain.reorg(1, [{ raw, offset: 0 }])
    await context.mineAndScan()
    await mendAttempts('moved')
    await passHour()
    expect(await context.payment('moved')).toMatchObject({ status: 'paid', received: attempt.amount })
    expect(await defer()).toEqual([])
  })

  test('does not stop the way back from a reorg', async () => {
    const broken = await context.open('lost-broken', 20, 'USDC')
    const sound = await context.open('lost-sound', 20, 'USDC')
    const { raw } = await context.pay(sound, 'transfer', BigInt(sound.amount) / 2n)
    await context.payAndScan(broken, 'transfer', BigInt(broken.amount) / 2n)
    await breakAttempts('lost-broken')
    await context.chain.reorg(1, [{ raw, offset: 0 }])
    await context.mineAndScan()
    expect(await defer()).toMatchObject([{ item: 'receipt lost-broken' }])
    const { received } = await context.payment('lost-sound')
    expect(received).toBe((BigInt(sound.amount) / 2n).toString())
    await mendAttempts('lost-broken')
    await passHour()
    expect(await defer()).toEqual([])
    expect(await context.payment('lost-broken')).toMatchObject({ received: '0' })
  })
})

test.each([
  '57014',
  '25P03',
])('a receipt whose own work takes too long waits alone, with all that was found for it (%s)', async (code) => {
  const [large, sound, later] = [`large-${code}`, `sound-${code}`, `later-${code}`]
  const half = await context.open(large, 20, 'USDC')
  await context.pay(half, 'transfer')
  await context.pay(await context.open(sound, 20, 'USDC'), 'transfer')
  await context.mine()
  const db = wrapDatabase(context.needs.db, ({ name, values = [] }, run) => {
    if (name !== 'list-payments' || !values.includes(large)) return run()
    throw asOutage(Object.assign(new Error('it took too long'), { code }))
  })
  await context.scan({ db })
  expect([await context.status(large), await context.status(sound)]).toEqual(['pending', 'paid'])
  const deferred = { job: 'scan-transfers', item: `receipt ${large}`, kind: 'took_too_long' }
  expect(await defer()).toMatchObject([{ ...deferred, tries: 1 }])
  await context.pay(await context.open(later, 20, 'USDC'), 'transfer')
  await context.passTime(20)
  await context.scan({ db })
  expect(await context.status(later)).toBe('paid')
  expect(await defer()).toMatchObject([{ ...deferred, tries: 2 }])
  await passHour()
  expect(await context.payment(large)).toMatchObject({ status: 'paid', received: half.amount })
  expect(await defer()).toEqual([])
})

test('money of one that cannot be marked as lost stops nobody’s way back, and is marked once it can be', async () => {
  for (const id of ['unmarked', 'marked']) await context.pay(await context.open(id, 20, 'USDC'), 'transfer')
  await context.mineAndScan()
  for (const id of ['unmarked', 'marked']) expect(await context.status(id)).toBe('paid')
  await context.rows(
    `ALTER TABLE payment ADD CONSTRAINT poison CHECK (receipt_id <> 'unmarked' OR state <> 'orphaned')`,
  )
  await context.chain.reorg(1)
  await context.mineAndScan()
  expect(await context.payment('marked')).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await context.payment('unmarked')).state).toBe('paid')
  const reason = expect.stringContaining('"poison')
  expect(await defer()).toMatchObject([{ job: 'scan-transfers', item: 'receipt unmarked', reason }])
  await context.payAndScan(await context.open('after-loss', 20, 'ETH'), 'transfer')
  expect(await context.status('after-loss')).toBe('paid')

  await context.rows('ALTER TABLE payment DROP CONSTRAINT poison')
  await passHour()
  expect(await defer()).toEqual([])
  expect(await context.payment('unmarked')).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await context.messages('unmarked')).map(({ body }) => body.paymentState)).toEqual([
    'paid',
    'orphaned',
  ])
})

test('what could not be marked for so long that its block is forgotten ends all the same', async () => {
  const ids = ['gone', 'unnoted', 'again']
  const again = await context.open('again', 20, 'USDC')
  const { raw } = await context.pay(again, 'transfer')
  for (const id of ['gone', 'unnoted']) await context.pay(await context.open(id, 20, 'USDC'), 'transfer')
  await context.mineAndScan()
  for (const id of ids) expect(await context.status(id)).toBe('paid')
  await context.rows(
    `ALTER TABLE payment ADD CONSTRAINT poison CHECK (state <> 'orphaned' OR receipt_id NOT IN ('gone', 'unnoted', 'again'))`,
  )
  await context.chain.reorg(1, [{ raw, offset: 0 }])
  await context.mineAndScan()
  expect((await defer()).map(({ item }) => item).sort()).toEqual(ids.map((id) => `receipt ${id}`).sort())
  // Restores the format of earlier releases.
  await context.rows(
    `UPDATE finding SET content = content - 'goneHash' WHERE item = 'receipt unnoted' AND kind = 'orphaned'`,
  )
  await context.passTime(2 * hourSeconds, Number(keptBelowFinal) + 100)
  await context.scan()
  await context.rows('ALTER TABLE payment DROP CONSTRAINT poison')
  await passHour()
  expect(await defer()).toEqual([])
  for (const id of ['gone', 'unnoted'])
    expect(await context.payment(id)).toMatchObject({ state: 'orphaned', received: '0' })
  expect(await context.payment('again')).toMatchObject({ state: 'paid', received: again.amount })
  const credits = await context.rows(`SELECT FROM payment WHERE receipt_id = 'again' AND state = 'credited'`)
  expect(credits).toHaveLength(1)
})

const defer = () => listAllDeferred(context.needs.db, 100)

async function passHour() {
  await context.passTime(hourSeconds)
  await context.scan()
}

function alerts(item: string) {
  return context.logged.filter((line) => line.alert === 'item-deferred' && line.item === item)
}

/** Writes a row that our code cannot read, as after a defect, a bad restore or a bad migration. */
const breakAttempts = (id: string) =>
  context.rows(`UPDATE attempt SET token = 'none' WHERE merchant = $1 AND receipt_id = $2`, [
    context.merchant.wallet,
    id,
  ])

const mendAttempts = (id: string) =>
  context.rows(
    `UPDATE attempt SET token = CASE WHEN token_address = $3 THEN 'ETH' ELSE 'USDC' END
      WHERE merchant = $1 AND receipt_id = $2`,
    [context.merchant.wallet, id, nativeAddress],
  )

async function apply(hash: string, receiptId: string) {
  const [payment] = await context.cases(hash)
  const body = { action: 'apply', receiptId }
  const response = await context.asOwner('POST', `/api/payments/unmatched/${payment?.id}`, body)
  expect(response.status).toBe(200)
}

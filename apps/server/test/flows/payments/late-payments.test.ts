import { expect, test } from 'vitest'
import { scriptedRates } from '../../support/api/scripted-rates.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const rates = scriptedRates({ ETH: 2_500, USDC: 1 }, () => context.api.clock.now())
const context = perFile(() => startPayments({ rates: [rates] }))

const isPaidLate = { status: 'paid', state: 'late' }

test('an attempt expires when the chain has been read past its end, not when the clock says so', async () => {
  await context.newReceipt('expiring', 10)
  await context.attempt('expiring', 'USDC')
  await context.api.clock.advance(16 * 60_000)
  await context.scan()
  expect((await context.payment('expiring')).state).toBe('awaiting')
  await context.passTime(16 * 60)
  await context.scan()
  const expired = { status: 'pending', attempt: null, payment: { state: 'expired' } }
  expect(await context.checkout('expiring')).toMatchObject(expired)
  expect(await context.messages('expiring')).toEqual([])
})

test('what was sent in time counts at its quote, however late it is read', async () => {
  rates.usd.ETH = 2_500
  const attempt = await context.open('in-time', 25, 'ETH')
  await context.pay(attempt, 'transfer')
  await context.mine()
  await context.passTime(3600)
  rates.usd.ETH = 1_000
  await context.scan()
  expect(await context.payment('in-time')).toMatchObject({ status: 'paid', state: 'paid' })
})

test('a late stablecoin counts in full and is marked late', async () => {
  const attempt = await context.open('late-usdc', 10, 'USDC')
  await context.passTime(3600)
  await context.scan()
  await context.payAndScan(attempt, 'call')
  expect(await context.payment('late-usdc')).toMatchObject(isPaidLate)
})

test('a late payment counts at the lower of its quote and the rate of its time', async () => {
  rates.usd.ETH = 2_500
  const fallen = await context.open('fallen', 25, 'ETH')
  const risen = await context.open('risen', 25, 'ETH')
  await context.passTime(3600)
  rates.usd.ETH = 2_000
  await context.api.clock.advance(60_000)
  await context.payAndScan(fallen, 'transfer')
  expect(await context.payment('fallen')).toMatchObject({ status: 'pending', state: 'short' })
  rates.usd.ETH = 3_000
  await context.api.clock.advance(60_000)
  await context.payAndScan(risen, 'transfer')
  expect(await context.payment('risen')).toMatchObject({ ...isPaidLate, excess: '0', received: risen.amount })
})

test('a late payment nobody can value goes to the inbox', async () => {
  rates.usd.ETH = 2_500
  const attempt = await context.open('no-rate', 25, 'ETH')
  await context.passTime(3600)
  rates.usd.ETH = undefined
  await context.api.clock.advance(120_000)
  const { hash } = await context.payAndScan(attempt, 'transfer')
  expect(await context.status('no-rate')).toBe('pending')
  expect((await context.cases(hash))[0]).toMatchObject({ reason: 'no-rate', amountRaw: attempt.amount })
  rates.usd.ETH = 2_500
})

test('a late payment that cannot be settled at once keeps the rate of the moment it came at', async () => {
  rates.usd.ETH = 2_500
  await context.api.clock.advance(120_000)
  const attempt = await context.open('kept-rate', 25, 'ETH')
  await context.passTime(3600)
  await breakAttempts('none')
  rates.usd.ETH = 2_000
  await context.api.clock.advance(60_000)
  await context.payAndScan(attempt, 'transfer')
  expect(await context.rows(`SELECT item FROM deferred_item`)).toEqual([{ item: 'receipt kept-rate' }])
  await breakAttempts('ETH')
  rates.usd.ETH = 1_000
  await context.passTime(3600)
  await context.scan()
  const payment = { status: 'pending', state: 'short', received: attempt.amount }
  expect(await context.payment('kept-rate')).toMatchObject(payment)
  const [counted] = await context.rows(
    `SELECT rate_e8::text AS rate FROM payment WHERE receipt_id = 'kept-rate'`,
  )
  expect(counted).toEqual({ rate: '200000000000' })
  expect(await context.rows(`SELECT item FROM deferred_item`)).toEqual([])

  /** Sets an attempt's token to one that is in no token list, so that the attempt cannot be settled. */
  function breakAttempts(token: string) {
    return context.rows(`UPDATE attempt SET token = $1 WHERE receipt_id = 'kept-rate'`, [token])
  }
})

test('an attempt that ended days ago is still looked at by the hour, coin and tokens', async () => {
  await context.api.clock.advance(120_000)
  const eth = await context.open('cold-eth', 25, 'ETH')
  const usdc = await context.open('cold-usdc', 25, 'USDC')
  await context.lookAfter(3 * 86_400)
  await context.lookAfter(3_700)
  await context.pay(eth, 'transfer')
  await context.payAndScan(usdc, 'transfer')
  expect(await context.status('cold-usdc')).toBe('pending')
  await context.lookAfter(3_700)
  expect(await context.payment('cold-usdc')).toMatchObject(isPaidLate)
  expect(await context.payment('cold-eth')).toMatchObject(isPaidLate)
})

test('an attempt that ended months ago is still looked at by the day, coin and tokens', async () => {
  const usdc = await context.open('ancient-usdc', 10, 'USDC')
  const eth = await context.open('ancient-eth', 10, 'ETH')
  await context.open('ancient-empty', 10, 'USDC')
  // Scans start at the beginning of each full day of the chain's time. Both silent hours must be on the same
  // day, whenever the test runs.
  const secondsOfDay = Math.floor(context.api.clock.now() / 1_000) % 86_400
  await context.lookAfter(46 * 86_400 - secondsOfDay + 3_600)
  await context.pay(usdc, 'transfer')
  await context.pay(eth, 'transfer')
  await context.lookAfter(2 * 3_600)
  expect(await context.status('ancient-usdc')).toBe('pending')
  await context.lookAfter(86_400)
  for (const id of ['ancient-usdc', 'ancient-eth'])
    expect(await context.payment(id)).toMatchObject(isPaidLate)
  await context.lookAfter(2 * 86_400)
  expect(await context.messages('ancient-usdc')).toHaveLength(1)
  expect(await context.status('ancient-empty')).toBe('pending')
})

test('who paid in time is not late, however long nobody looked', async () => {
  await context.api.clock.advance(120_000)
  await context.scan()
  await context.pay(await context.open('outage-eth', 25, 'ETH'), 'transfer')
  await context.pay(await context.open('outage-usdc', 25, 'USDC'), 'transfer')
  await context.mine()
  await context.passTime(3 * 86_400)
  await context.scan()
  for (const id of ['outage-eth', 'outage-usdc'])
    expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid' })
})

import { expect, test } from 'vitest'
import { scriptedRates } from '../../support/api/scripted-rates.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const rates = scriptedRates({ ETH: 2_500, USDC: 1 }, () => world.api.clock.now())
const world = perFile(() => startPayments({ rates: [rates] }))

const isPaidLate = { status: 'paid', state: 'late' }

test('an attempt expires when the chain has been read past its end, not when the clock says so', async () => {
  await world.newReceipt('expiring', 10)
  await world.attempt('expiring', 'USDC')
  await world.api.clock.advance(16 * 60_000)
  await world.scan()
  expect((await world.payment('expiring')).state).toBe('awaiting')
  await world.passTime(16 * 60)
  await world.scan()
  const expired = { status: 'pending', attempt: null, payment: { state: 'expired' } }
  expect(await world.checkout('expiring')).toMatchObject(expired)
  expect(await world.notices('expiring')).toEqual([])
})

test('what was sent in time counts at its quote, however late it is read', async () => {
  rates.usd.ETH = 2_500
  const attempt = await world.open('in-time', 25, 'ETH')
  await world.pay(attempt, 'transfer')
  await world.mine()
  await world.passTime(3600)
  rates.usd.ETH = 1_000
  await world.scan()
  expect(await world.payment('in-time')).toMatchObject({ status: 'paid', state: 'paid' })
})

test('a late stablecoin counts in full and is marked late', async () => {
  const attempt = await world.open('late-usdc', 10, 'USDC')
  await world.passTime(3600)
  await world.scan()
  await world.payAndScan(attempt, 'call')
  expect(await world.payment('late-usdc')).toMatchObject(isPaidLate)
})

test('a late payment counts at the lower of its quote and the rate of its time', async () => {
  rates.usd.ETH = 2_500
  const fallen = await world.open('fallen', 25, 'ETH')
  const risen = await world.open('risen', 25, 'ETH')
  await world.passTime(3600)
  rates.usd.ETH = 2_000
  await world.api.clock.advance(60_000)
  await world.payAndScan(fallen, 'transfer')
  expect(await world.payment('fallen')).toMatchObject({ status: 'pending', state: 'short' })
  rates.usd.ETH = 3_000
  await world.api.clock.advance(60_000)
  await world.payAndScan(risen, 'transfer')
  expect(await world.payment('risen')).toMatchObject({ ...isPaidLate, excess: '0', received: risen.amount })
})

test('a late payment nobody can value goes to the inbox', async () => {
  rates.usd.ETH = 2_500
  const attempt = await world.open('no-rate', 25, 'ETH')
  await world.passTime(3600)
  rates.usd.ETH = undefined
  await world.api.clock.advance(120_000)
  const { hash } = await world.payAndScan(attempt, 'transfer')
  expect(await world.status('no-rate')).toBe('pending')
  expect((await world.cases(hash))[0]).toMatchObject({ reason: 'no-rate', amountRaw: attempt.amount })
  rates.usd.ETH = 2_500
})

test('a late payment that cannot be settled at once keeps the rate of the moment it came at', async () => {
  rates.usd.ETH = 2_500
  await world.api.clock.advance(120_000)
  const attempt = await world.open('kept-rate', 25, 'ETH')
  await world.passTime(3600)
  await breakAttempts('none')
  rates.usd.ETH = 2_000
  await world.api.clock.advance(60_000)
  await world.payAndScan(attempt, 'transfer')
  expect(await world.rows(`SELECT item FROM set_aside`)).toEqual([{ item: 'receipt kept-rate' }])
  await breakAttempts('ETH')
  rates.usd.ETH = 1_000
  await world.passTime(3600)
  await world.scan()
  const payment = { status: 'pending', state: 'short', received: attempt.amount }
  expect(await world.payment('kept-rate')).toMatchObject(payment)
  const [counted] = await world.rows(
    `SELECT rate_e8::text AS rate FROM payment WHERE receipt_id = 'kept-rate'`,
  )
  expect(counted).toEqual({ rate: '200000000000' })
  expect(await world.rows(`SELECT item FROM set_aside`)).toEqual([])

  /** A token that no list has is a row that no code of ours can settle. */
  function breakAttempts(token: string) {
    return world.rows(`UPDATE attempt SET token = $1 WHERE receipt_id = 'kept-rate'`, [token])
  }
})

test('an attempt that ended days ago is still looked at by the hour, coin and tokens', async () => {
  await world.api.clock.advance(120_000)
  const eth = await world.open('cold-eth', 25, 'ETH')
  const usdc = await world.open('cold-usdc', 25, 'USDC')
  await world.lookAfter(3 * 86_400)
  await world.lookAfter(3_700)
  await world.pay(eth, 'transfer')
  await world.payAndScan(usdc, 'transfer')
  expect(await world.status('cold-usdc')).toBe('pending')
  await world.lookAfter(3_700)
  expect(await world.payment('cold-usdc')).toMatchObject(isPaidLate)
  expect(await world.payment('cold-eth')).toMatchObject(isPaidLate)
})

test('an attempt that ended months ago is still looked at by the day, coin and tokens', async () => {
  const usdc = await world.open('ancient-usdc', 10, 'USDC')
  const eth = await world.open('ancient-eth', 10, 'ETH')
  await world.open('ancient-empty', 10, 'USDC')
  // Each day of the chain's time begins a look: the two hours that bring none are in one, whenever this runs.
  const secondsOfDay = Math.floor(world.api.clock.now() / 1_000) % 86_400
  await world.lookAfter(46 * 86_400 - secondsOfDay + 3_600)
  await world.pay(usdc, 'transfer')
  await world.pay(eth, 'transfer')
  await world.lookAfter(2 * 3_600)
  expect(await world.status('ancient-usdc')).toBe('pending')
  await world.lookAfter(86_400)
  for (const id of ['ancient-usdc', 'ancient-eth']) expect(await world.payment(id)).toMatchObject(isPaidLate)
  await world.lookAfter(2 * 86_400)
  expect(await world.notices('ancient-usdc')).toHaveLength(1)
  expect(await world.status('ancient-empty')).toBe('pending')
})

test('who paid in time is not late, however long nobody looked', async () => {
  await world.api.clock.advance(120_000)
  await world.scan()
  await world.pay(await world.open('outage-eth', 25, 'ETH'), 'transfer')
  await world.pay(await world.open('outage-usdc', 25, 'USDC'), 'transfer')
  await world.mine()
  await world.passTime(3 * 86_400)
  await world.scan()
  for (const id of ['outage-eth', 'outage-usdc'])
    expect(await world.payment(id)).toMatchObject({ status: 'paid', state: 'paid' })
})

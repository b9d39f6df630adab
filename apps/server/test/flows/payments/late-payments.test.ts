import type { RateE8 } from '@sluice/protocol/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RateCode } from '../../../src/pricing/rates/rate.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
let etherPrice: bigint | undefined = 2_500n
beforeAll(async () => {
  world = await startPaymentWorld({
    rates: [
      {
        name: 'scripted',
        codes: ['ETH', 'USDC'],
        read: async (codes: readonly RateCode[]) =>
          codes.map((code) => {
            const price = code === 'ETH' ? etherPrice : 1n
            if (price === undefined) return { code, source: 'scripted', fault: 'down' }
            const usdPerUnit = (price * 100_000_000n) as RateE8
            return { code, source: 'scripted', usdPerUnit, quotedAt: world.api.clock.now() }
          }),
      },
    ],
  })
})
afterAll(() => world?.stop())

test('an attempt expires when the chain has been read past its end, not when the clock says so', async () => {
  await world.newReceipt('expiring', 10)
  await world.attempt('expiring', 'USDC')
  await world.api.clock.advance(16 * 60_000)
  await world.scan()
  expect((await world.checkout('expiring')).payment.state).toBe('awaiting')
  await passTime(16 * 60)
  await world.scan()
  expect(await world.checkout('expiring')).toMatchObject({
    status: 'pending',
    attempt: null,
    payment: { state: 'expired' },
  })
  expect(await world.notices('expiring')).toEqual([])
})

test('what was sent in time counts at its quote, however late it is read', async () => {
  etherPrice = 2_500n
  await world.newReceipt('in-time', 25)
  const attempt = await world.attempt('in-time', 'ETH')
  await world.pay(attempt, 'transfer')
  await world.mine()
  await passTime(3600)
  etherPrice = 1_000n
  await world.scan()
  expect(await world.checkout('in-time')).toMatchObject({ status: 'paid', payment: { state: 'paid' } })
})

test('a late stablecoin counts in full and is marked late', async () => {
  await world.newReceipt('late-usdc', 10)
  const attempt = await world.attempt('late-usdc', 'USDC')
  await passTime(3600)
  await world.scan()
  await world.pay(attempt, 'call')
  await world.mine()
  await world.scan()
  expect(await world.checkout('late-usdc')).toMatchObject({ status: 'paid', payment: { state: 'late' } })
})

test('a late payment counts at the lower of its quote and the rate of its time', async () => {
  etherPrice = 2_500n
  for (const id of ['fallen', 'risen']) await world.newReceipt(id, 25)
  const [fallen, risen] = [await world.attempt('fallen', 'ETH'), await world.attempt('risen', 'ETH')]
  await passTime(3600)
  etherPrice = 2_000n
  await world.api.clock.advance(60_000)
  await world.pay(fallen, 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.checkout('fallen')).toMatchObject({ status: 'pending', payment: { state: 'short' } })
  etherPrice = 3_000n
  await world.api.clock.advance(60_000)
  await world.pay(risen, 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.checkout('risen')).toMatchObject({
    status: 'paid',
    payment: { state: 'late', excess: '0', received: risen.amount },
  })
})

test('a late payment nobody can value goes to the inbox', async () => {
  etherPrice = 2_500n
  await world.newReceipt('no-rate', 25)
  const attempt = await world.attempt('no-rate', 'ETH')
  await passTime(3600)
  etherPrice = undefined
  await world.api.clock.advance(120_000)
  const { hash } = await world.pay(attempt, 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.status('no-rate')).toBe('pending')
  const statement = {
    name: 'test-late-inbox',
    text: 'SELECT reason, amount FROM unmatched_payment WHERE merchant = $1 AND tx_hash = $2',
  }
  expect(await world.needs.db.rows(statement, [world.merchant.wallet, hash])).toEqual([
    { reason: 'no-rate', amount: BigInt(attempt.amount) },
  ])
  etherPrice = 2_500n
})

test('an attempt that ended days ago is still looked at by the hour, coin and tokens', async () => {
  await world.api.clock.advance(120_000)
  for (const id of ['cold-eth', 'cold-usdc']) await world.newReceipt(id, 25)
  const [eth, usdc] = [await world.attempt('cold-eth', 'ETH'), await world.attempt('cold-usdc', 'USDC')]
  await passTime(3 * 86_400)
  await look()
  await passTime(3_700)
  await look()
  await world.pay(eth, 'transfer')
  await world.pay(usdc, 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.status('cold-usdc')).toBe('pending')
  await passTime(3_700)
  await look()
  expect(await world.checkout('cold-usdc')).toMatchObject({ status: 'paid', payment: { state: 'late' } })
  expect(await world.checkout('cold-eth')).toMatchObject({ status: 'paid', payment: { state: 'late' } })
})

test('an attempt that ended months ago is still looked at by the day, coin and tokens', async () => {
  for (const id of ['ancient-usdc', 'ancient-eth', 'ancient-empty']) await world.newReceipt(id, 10)
  const usdc = await world.attempt('ancient-usdc', 'USDC')
  const eth = await world.attempt('ancient-eth', 'ETH')
  await world.attempt('ancient-empty', 'USDC')
  await passTime(45 * 86_400)
  await look()
  await world.pay(usdc, 'transfer')
  await world.pay(eth, 'transfer')
  await passTime(2 * 3_600)
  await look()
  expect(await world.status('ancient-usdc')).toBe('pending')
  await passTime(86_400)
  await look()
  for (const id of ['ancient-usdc', 'ancient-eth'])
    expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'late' } })
  await passTime(2 * 86_400)
  await look()
  expect(await world.notices('ancient-usdc')).toHaveLength(1)
  expect(await world.status('ancient-empty')).toBe('pending')
})

test('who paid in time is not late, however long nobody looked', async () => {
  await world.api.clock.advance(120_000)
  await world.scan()
  for (const id of ['outage-eth', 'outage-usdc']) await world.newReceipt(id, 25)
  for (const [id, token] of [
    ['outage-eth', 'ETH'],
    ['outage-usdc', 'USDC'],
  ] as const)
    await world.pay(await world.attempt(id, token), 'transfer')
  await world.mine()
  await passTime(3 * 86_400)
  await world.scan()
  for (const id of ['outage-eth', 'outage-usdc'])
    expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'paid' } })
})

/** Reads the new blocks, and looks at the attempts that are closed. */
async function look() {
  await world.scan()
  await world.lookAtClosed()
}

/** Time passes on the chain and for the service, and the chain's blocks of that time become final. */
async function passTime(seconds: number) {
  await world.chain.client.increaseTime({ seconds })
  await world.mine(8)
  await world.syncClock()
}

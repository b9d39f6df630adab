import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pointsFor } from '../../../src/loyalty/points.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { startApi, type TestApi, type TestMerchant } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'

let api: TestApi
let merchant: TestMerchant
let other: TestMerchant
let buyer: Wallet
beforeAll(async () => {
  api = await startApi()
  buyer = randomWallet()
  ;[merchant, other] = await Promise.all([
    api.addMerchant({ name: 'Shop' }),
    api.addMerchant({ name: 'Other' }),
  ])
  for (const { wallet } of [merchant, other])
    await changeShop(api.needs, wallet, { xpPerDollarHundredths: 250n })
})
afterAll(() => api?.stop())

let count = 0
async function pay(who: TestMerchant, totalUsd: number, wallet: Wallet | undefined): Promise<string> {
  const id = `loyal-${++count}`
  const lineItems = [{ label: 'Coffee', priceUsd: totalUsd }]
  await api.call('POST', '/api/receipts', { key: who.key, body: { id, lineItems, totalUsd } })
  const paid = {
    transactionHash: undefined,
    transactionAt: api.clock.now() as UnixMs,
    token: 'USDC',
    units: 1n as TokenUnits,
    buyerWallet: wallet,
  }
  await api.move(who.wallet, id, 'payment_verified', { paid })
  return id
}
const read = async (who: TestMerchant, wallet: string = buyer) =>
  (await api.call('GET', `/api/loyalty?wallet=${wallet}`, { key: who.key })).body

describe('points', () => {
  test('are earned by the wallet that pays, with the merchant it pays and nobody else', async () => {
    expect(await read(merchant)).toEqual({ wallet: buyer, points: 0, receipts: 0 })
    await pay(merchant, 10, buyer)
    await pay(merchant, 0.33, buyer)
    expect(await read(merchant, buyer.toLowerCase())).toEqual({ wallet: buyer, points: 25.82, receipts: 2 })
    expect(await read(other)).toEqual({ wallet: buyer, points: 0, receipts: 0 })
    await pay(other, 4, buyer)
    expect(await read(other)).toMatchObject({ points: 10, receipts: 1 })
    expect(await read(merchant)).toMatchObject({ points: 25.82 })
  })

  test('are taken back when the receipt is refunded, once, and kept while that is only asked for', async () => {
    const wallet = randomWallet()
    await pay(merchant, 7, wallet)
    const id = await pay(merchant, 100, wallet)
    await api.move(merchant.wallet, id, 'refund_requested')
    expect(await read(merchant, wallet)).toMatchObject({ points: 267.5, receipts: 2 })
    await api.move(merchant.wallet, id, 'checkout_success')
    await api.move(merchant.wallet, id, 'funds_distributed')
    expect(await read(merchant, wallet)).toMatchObject({ points: 267.5, receipts: 2 })
    await api.move(merchant.wallet, id, 'refunds_complete')
    await api.move(merchant.wallet, id, 'refunds_complete')
    expect(await read(merchant, wallet)).toMatchObject({ points: 17.5, receipts: 1 })
  })

  test('are earned by nobody where no wallet is known, or the shop gives none', async () => {
    const wallet = randomWallet()
    await pay(merchant, 50, undefined)
    await changeShop(api.needs, other.wallet, { xpPerDollarHundredths: 0n })
    await pay(other, 50, wallet)
    const shopless = await api.addMerchant()
    await pay(shopless, 50, wallet)
    for (const who of [merchant, other, shopless])
      expect(await read(who, wallet)).toMatchObject({ points: 0 })
  })

  test('never come to more than the shop says', () => {
    fc.assert(
      fc.property(fc.bigInt(-1_000n, 10n ** 11n), fc.bigInt(0n, 1_000_000n), (total, perDollar) => {
        const points = pointsFor(total as never, perDollar)
        expect(points).toBeGreaterThanOrEqual(0n)
        if (total > 0n) expect(points * 100n).toBeLessThanOrEqual(total * perDollar)
        if (total > 0n) expect((points + 1n) * 100n).toBeGreaterThan(total * perDollar)
      }),
    )
  })
})

test.each([
  '',
  '?wallet=',
  '?wallet=me',
  '?wallet=0x12',
])('GET /api/loyalty%s is refused as invalid input', async (query) => {
  const { status, body } = await api.call('GET', `/api/loyalty${query}`, { key: merchant.key })
  expect([status, body.error]).toEqual([400, 'invalid_input'])
})

test('needs the scope to read receipts', async () => {
  const narrow = await api.addMerchant({ scopes: ['inventory:read'] })
  const { status } = await api.call('GET', `/api/loyalty?wallet=${buyer}`, { key: narrow.key })
  expect(status).toBe(403)
})

import type { UnixMs } from '@sluice/protocol/time.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { ChainTime } from '../../../src/chain/chain-time.ts'
import { logIn } from '../../support/asking/log-in.ts'
import { awayChain } from '../../support/chain/away-chain.ts'
import { perFile } from '../../support/per-file.ts'
import { startShop } from '../../support/worlds/start-shop.ts'

const dayMs = 24 * 3_600_000

const shop = perFile(() =>
  startShop({ chain: (needs) => ({ ...awayChain(needs), time: new TimeAhead(needs) }) }),
)
const merchant = perFile(() => shop.addShop())
const owner = perFile(() => logIn(shop, merchant))
let sku: string
/** By how much the chain, and with it every deadline, is ahead of this machine's clock. */
let aheadMs = 0
let count = 0

class TimeAhead extends ChainTime {
  override now() {
    return (shop.clock.now() + aheadMs) as UnixMs
  }
}

beforeAll(async () => {
  sku = 'mug'
  await shop.addProduct(merchant, { sku, stockQty: 100 })
})

const lineItems = [{ label: 'Tea', priceUsd: 5 }]
const makers: Record<string, (expiresAt?: number) => Promise<{ status: number; body: { error?: string } }>> =
  {
    receipts: (expiresAt) =>
      shop.call('POST', '/api/receipts', {
        key: merchant.key,
        body: { id: `r-${++count}`, lineItems, totalUsd: 5, expiresAt },
      }),
    'receipts at the point of sale': (expiresAt) =>
      shop.call('POST', '/api/receipts/terminal', { session: owner, body: { amountUsd: 5, expiresAt } }),
    orders: (expiresAt) =>
      shop.order(merchant, { items: [{ sku, qty: 1 }], jurisdictionCode: 'US-CA', expiresAt }),
  }

describe.each(Object.keys(makers))('%s', (what) => {
  const make = (expiresAt: number) => makers[what]?.(expiresAt)

  test.each([
    ['ahead of the clock', dayMs],
    ['behind the clock', -dayMs],
  ])('end in the future of the chain, where it is a day %s', async (_, ms) => {
    aheadMs = ms
    const chainNow = shop.clock.now() + ms
    expect([200, 201]).toContain((await make(chainNow + 1))?.status)
    const refused = await make(chainNow)
    expect([refused?.status, refused?.body.error]).toEqual([400, 'invalid_input'])
  })
})

test('an order that says nothing of its end holds its stock for a day of the chain', async () => {
  aheadMs = dayMs
  const made = await shop.order(merchant, { items: [{ sku, qty: 1 }], jurisdictionCode: 'US-CA' })
  const { body } = await shop.call('GET', `/api/orders/${made.body.id}`, { key: merchant.key })
  expect(body.expiresAt).toBe(shop.clock.now() + dayMs + dayMs)
})

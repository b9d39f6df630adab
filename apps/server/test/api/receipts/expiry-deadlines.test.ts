import type { UnixMs } from '@sluice/protocol/time.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { ChainTime } from '../../../src/chain/chain-time.ts'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { awayChain } from '../../support/api/offline.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn } from '../../support/api/sessions.ts'
import { startShop, type TestShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const dayMs = 24 * 3_600_000

const shop: TestShop = perFile(() =>
  startShop({ chain: (needs) => ({ ...awayChain(needs), time: new TimeAhead(needs) }) }),
)
const merchant = perFile(() => shop.addShop())
const owner = perFile(() => logIn(shop, merchant))
const sku = 'mug'
let aheadMs = 0
let count = 0

class TimeAhead extends ChainTime {
  override now() {
    return (shop.clock.now() + aheadMs) as UnixMs
  }
}

beforeAll(() => shop.addProduct(merchant, { sku, stockQty: 100 }))

const items = [{ sku, qty: 1 }]
const makers: Record<string, (expiresAt: number) => Promise<ApiResponse>> = {
  receipts(expiresAt) {
    const body = receiptBody(`r-${++count}`, 5, { expiresAt })
    return shop.call('POST', '/api/receipts', { key: merchant.key, body })
  },
  'receipts at the point of sale': (expiresAt) =>
    shop.call('POST', '/api/receipts/terminal', { session: owner, body: { amountUsd: 5, expiresAt } }),
  orders: (expiresAt) => shop.order(merchant, { items, expiresAt }),
}

describe.each(Object.entries(makers))('%s', (_name, make) => {
  test.each([
    ['ahead of the clock', dayMs],
    ['behind the clock', -dayMs],
  ])('end in the future of the chain, where it is a day %s', async (_, ms) => {
    aheadMs = ms
    const chainNow = shop.clock.now() + ms
    expect([200, 201]).toContain((await make(chainNow + 1)).status)
    expectApiError(await make(chainNow), 400, 'invalid_input')
  })
})

test('an order that says nothing of its end holds its stock for a day of the chain', async () => {
  aheadMs = dayMs
  const made = await shop.order(merchant, { items })
  const { body } = await shop.call('GET', `/api/orders/${made.body.id}`, { key: merchant.key })
  expect(body.expiresAt).toBe(shop.clock.now() + dayMs + dayMs)
})

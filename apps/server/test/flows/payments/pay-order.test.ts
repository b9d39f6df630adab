import type { Bps } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { expect, test } from 'vitest'
import { findProduct } from '../../../src/inventory/store.ts'
import { upsertProducts } from '../../../src/inventory/upsert-products.ts'
import { createOrder } from '../../../src/orders/create-order.ts'
import { parseOrder } from '../../../src/orders/parse-order.ts'
import { findOrder } from '../../../src/orders/store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { untouchedBrand } from '../../../src/site/brand.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(startPayments)
const product = perFile(async () => {
  const mug = {
    id: undefined,
    sku: 'mug',
    name: 'Mug',
    priceCents: 1999n as never,
    taxable: true,
    stock: 10n,
  }
  const put = await upsertProducts(world.needs, world.merchant.wallet, [mug])
  if (put.kind !== 'put' || !put.products[0]) throw new Error('there is no product to contradict')
  return put.products[0]
})

const minute = 60_000

async function order(qty: number, forMs: number): Promise<ReceiptId> {
  const { api, needs, merchant } = world
  const now = api.clock.now()
  const body = { items: [{ sku: 'mug', qty }], jurisdictionCode: 'US-CA', expiresAt: now + forMs }
  const request = parseOrder(body, { isProduction: false }, now)
  const platform = { feeBps: 50 as Bps, recipient: merchant.wallet }
  const receipt = await createOrder(
    { ...needs, deadlines: needs.chain.time, platform, brand: untouchedBrand },
    merchant.wallet,
    undefined,
    request,
  )
  return receipt.id
}

/** The job of the service, and the watcher before it. */
async function run() {
  await world.run(jobNames.scanTransfers, jobNames.settleStock)
}

const stock = async () => (await findProduct(world.needs.db, world.merchant.wallet, product.id))?.stock
const stateOf = async (id: ReceiptId) => (await findOrder(world.needs.db, world.merchant.wallet, id))?.stock

test('an order is paid on chain under its id alone, with tax, and its stock is taken', async () => {
  const id = await order(2, 60 * minute)
  expect(await stock()).toBe(8n)
  const attempt = await world.api.call('POST', `/api/checkout/${id}/attempts`, { body: { token: 'USDC' } })
  expect([attempt.status, attempt.body.amount]).toEqual([201, '42880000'])
  await world.pay(attempt.body, 'call')
  await world.mine()
  await run()
  expect(await world.status(id)).toBe('paid')
  expect([await stateOf(id), await stock()]).toEqual(['taken', 8n])
})

test('an order that somebody tried to pay gives back only when the chain was read past its end', async () => {
  const id = await order(3, 5 * minute)
  await world.attempt(id, 'USDC')
  await world.api.clock.advance(6 * minute)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['held', 5n])
  await world.passTime(7 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['given_back', 8n])
})

test('what was sent in time and read late is taken, not given back', async () => {
  const id = await order(3, 5 * minute)
  await world.pay(await world.attempt(id, 'USDC'), 'transfer')
  await world.mine()
  await world.passTime(10 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['taken', 5n])
})

test('money that comes after the stock went back takes what is left of it', async () => {
  const id = await order(4, 5 * minute)
  const attempt = await world.attempt(id, 'USDC')
  await world.passTime(10 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['given_back', 5n])
  await world.pay(attempt, 'call')
  await world.mine()
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['taken', 1n])
  expect(await findBroken(world.needs.db, world.chain.rpcUrl)).toEqual([])
})

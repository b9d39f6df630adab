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

const context = perFile(startPayments)
const product = perFile(async () => {
  const mug = {
    id: undefined,
    sku: 'mug',
    name: 'Mug',
    priceCents: 1999n as never,
    taxable: true,
    stock: 10n,
  }
  const put = await upsertProducts(context.needs, context.merchant.wallet, [mug])
  if (put.kind !== 'put' || !put.products[0]) throw new Error('there is no product to contradict')
  return put.products[0]
})

const minute = 60_000

async function order(qty: number, forMs: number): Promise<ReceiptId> {
  const { api, needs, merchant } = context
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

async function run() {
  await context.run(jobNames.scanTransfers, jobNames.settleStock)
}

const stock = async () => (await findProduct(context.needs.db, context.merchant.wallet, product.id))?.stock
const stateOf = async (id: ReceiptId) =>
  (await findOrder(context.needs.db, context.merchant.wallet, id))?.stock

test('an order is paid on chain under its id alone, with tax, and its stock is taken', async () => {
  const id = await order(2, 60 * minute)
  expect(await stock()).toBe(8n)
  const attempt = await context.api.call('POST', `/api/checkout/${id}/attempts`, { body: { token: 'USDC' } })
  expect([attempt.status, attempt.body.amount]).toEqual([201, '42880000'])
  await context.pay(attempt.body, 'call')
  await context.mine()
  await run()
  expect(await context.status(id)).toBe('paid')
  expect([await stateOf(id), await stock()]).toEqual(['committed', 8n])
})

test('an order that somebody tried to pay gives back only when the chain was read past its end', async () => {
  const id = await order(3, 5 * minute)
  await context.attempt(id, 'USDC')
  await context.api.clock.advance(6 * minute)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['reserved', 5n])
  await context.passTime(7 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['released', 8n])
})

test('what was sent in time and read late is taken, not given back', async () => {
  const id = await order(3, 5 * minute)
  await context.pay(await context.attempt(id, 'USDC'), 'transfer')
  await context.mine()
  await context.passTime(10 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['committed', 5n])
})

test('money that comes after the stock went back takes what is left of it', async () => {
  const id = await order(4, 5 * minute)
  const attempt = await context.attempt(id, 'USDC')
  await context.passTime(10 * 60, 1)
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['released', 5n])
  await context.pay(attempt, 'call')
  await context.mine()
  await run()
  expect([await stateOf(id), await stock()]).toEqual(['committed', 1n])
  expect(await findBroken(context.needs.db, context.chain.rpcUrl)).toEqual([])
})

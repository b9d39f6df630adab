import type { Bps } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { expect, test } from 'vitest'
import { findProduct } from '../../../src/inventory/store.ts'
import { upsertProducts } from '../../../src/inventory/upsert-products.ts'
import { createOrder } from '../../../src/orders/create-order.ts'
import { parseOrder } from '../../../src/orders/parse-order.ts'
import { reserveForBuyer } from '../../../src/orders/settle-stock.ts'
import { findOrder } from '../../../src/orders/store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { lockReceipt } from '../../../src/receipts/store.ts'
import { untouchedBrand } from '../../../src/site/brand.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startPayments)
const minute = 60_000
let productCount = 0

async function addProduct(stock: bigint): Promise<string> {
  const sku = `cup-${++productCount}`
  const cup = { id: sku, sku, name: 'Cup', priceCents: 500n as never, stock }
  const put = await upsertProducts(context.needs, context.merchant.wallet, [cup])
  expect(put.kind).toBe('put')
  return sku
}

async function order(sku: string, qty: number): Promise<ReceiptId> {
  const { api, needs, merchant } = context
  const now = api.clock.now()
  const body = { items: [{ sku, qty }], jurisdictionCode: 'ZZ-ZZ', expiresAt: now + 60 * minute }
  const receipt = await createOrder(
    {
      ...needs,
      deadlines: needs.chain.time,
      platform: { feeBps: 50 as Bps, recipient: merchant.wallet },
      brand: untouchedBrand,
    },
    merchant.wallet,
    undefined,
    { ...parseOrder(body, { isProduction: false }, now), isReservedLater: true },
  )
  return receipt.id
}

const stock = async (sku: string) =>
  (await findProduct(context.needs.db, context.merchant.wallet, sku))?.stock
const stateOf = async (id: ReceiptId) =>
  (await findOrder(context.needs.db, context.merchant.wallet, id))?.stock
const settle = () => context.run(jobNames.scanTransfers, jobNames.settleStock)

const beginToPay = (id: ReceiptId, address: string) =>
  context.needs.db.transaction(async (tx) => {
    await lockReceipt(tx, context.merchant.wallet, id)
    const due = { merchant: context.merchant.wallet, receiptId: id }
    await reserveForBuyer({ tx, clock: context.needs.chain.time }, due, address)
  })

test('an order reserves nothing; whoever begins to pay it reserves its stock for 15 minutes, again and again', async () => {
  const sku = await addProduct(10n)
  const id = await order(sku, 2)
  expect([await stateOf(id), await stock(sku)]).toEqual(['released', 10n])
  for (let round = 0; round < 2; round++) {
    const opened = await context.api.call('POST', `/api/checkout/${id}/attempts`, { body: { token: 'USDC' } })
    expect(opened.status).toBe(201)
    expect([await stateOf(id), await stock(sku)]).toEqual(['reserved', 8n])
    await context.passTime(14 * 60, 1)
    await settle()
    expect(await stateOf(id)).toBe('reserved')
    await context.passTime(2 * 60, 1)
    await settle()
    expect([await stateOf(id), await stock(sku)]).toEqual(['released', 10n])
  }
  expect(await findBroken(context.needs.db, context.chain.rpcUrl)).toEqual([])
})

test('what is paid is taken, also if its reservation has ended', async () => {
  const sku = await addProduct(4n)
  const id = await order(sku, 1)
  const attempt = await context.attempt(id, 'USDC')
  await context.pay(attempt, 'transfer')
  await context.mine()
  await settle()
  expect(await context.status(id)).toBe('paid')
  expect([await stateOf(id), await stock(sku)]).toEqual(['committed', 3n])
})

test('one address reserves at most half of a product, and all who have not paid nine tenths', async () => {
  const sku = await addProduct(20n)
  const reserve = async (address: string) => {
    const id = await order(sku, 1)
    await beginToPay(id, address)
    return stateOf(id)
  }
  const states = async (address: string, count: number) => {
    const found: unknown[] = []
    for (let i = 0; i < count; i++) found.push(await reserve(address))
    return found.filter((state) => state === 'reserved').length
  }
  expect(await states('192.0.2.1', 12)).toBe(10)
  expect(await states('192.0.2.2', 12)).toBe(8)
  expect(await states('192.0.2.3', 2)).toBe(0)
  expect(await stock(sku)).toBe(2n)
  expect(await order(sku, 2), 'who comes later can still order').toMatch(/^R-/)
  await expect(order(sku, 3)).rejects.toThrow('Only 2 of')
})

test('the last piece can be reserved, and an order of several products reserves all of them or nothing', async () => {
  const [last, other] = [await addProduct(1n), await addProduct(1n)]
  const first = await order(last, 1)
  await beginToPay(first, '192.0.2.4')
  expect([await stateOf(first), await stock(last)]).toEqual(['reserved', 0n])
  await expect(order(last, 1)).rejects.toThrow('Only 0 of')
  const second = await order(other, 1)
  const third = await order(other, 1)
  await beginToPay(second, '192.0.2.5')
  await beginToPay(third, '192.0.2.6')
  expect([await stateOf(second), await stateOf(third), await stock(other)]).toEqual([
    'reserved',
    'released',
    0n,
  ])
})

import { type Cents, formatUnits, maxCents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { noteStock, reserveStock } from '../inventory/reserve-stock.ts'
import { ApiError, invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { makeReceiptId } from '../kernel/generate-id.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import type { RateBook } from '../pricing/rates/rate-book.ts'
import { type FindOwnTaxRate, getTaxRate, writeTaxRate } from '../pricing/taxes/tax-rate.ts'
import {
  findReceiptHome,
  makeReceipt,
  type Priced,
  priceReceipt,
  type ReceiptHome,
  type SigningKey,
  storeMadeReceipt,
} from '../receipts/making/make-receipt.ts'
import { hashContent } from '../receipts/making/parse-options.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { never, watchReceipt } from '../receipts/receipt-due.ts'
import type { Brand } from '../site/brand.ts'
import type { PlatformFee } from '../split/setup/configure-split.ts'
import { findItems } from './find-items.ts'
import {
  itemCents,
  type Order,
  type OrderItem,
  type OrderTax,
  type OrderTotals,
  totalOrder,
} from './order.ts'
import type { OrderRequest } from './parse-order.ts'
import { insertOrder } from './store.ts'

export type CreateOrderNeeds = {
  readonly db: Database
  readonly clock: Clock
  /** Chain time, which decides deadlines and late payments. */
  readonly deadlines: Pick<Clock, 'now'>
  readonly random: Random
  readonly rates: RateBook
  readonly platform: PlatformFee
  readonly findOwnTaxRate?: FindOwnTaxRate | undefined
}

const holdForMs = 24 * 3_600_000

/**
 * Creates an order with its receipt and reserves its stock, in one transaction.
 *
 * An order with counted stock expires after a day by default, so that stock is never reserved permanently.
 *
 * See docs/contract.md#orders.
 *
 * @throws {ApiError} in this order: `invalid_input` (no jurisdiction), `split_required`,
 * `platform_recipient_not_configured`, `inventory_item_not_found`, `invalid_input` (no tax rate for a taxable
 * product; invalid total), `inventory_item_unavailable`.
 */
export async function createOrder(
  needs: CreateOrderNeeds & { readonly brand: Brand },
  merchant: Wallet,
  key: SigningKey | undefined,
  request: OrderRequest,
): Promise<Receipt> {
  // Validates the jurisdiction and the rate first. Whether a rate is required depends on the products.
  const taxNeeds = { findOwnRate: needs.findOwnTaxRate }
  const found = await getTaxRate(taxNeeds, merchant, { ...request, isTaxable: false })
  const home = await getHome(needs, merchant)
  const items = await findItems(needs, merchant, request.items)
  const isTaxable = items.some(({ taxable }) => taxable)
  const tax =
    found.from === 'none' && isTaxable
      ? await getTaxRate(taxNeeds, merchant, { ...request, isTaxable })
      : found
  const totals = totalOrder(items, tax.rate)
  refuseTotal(totals.totalCents)
  const priced = await priceReceipt(needs, {
    format: 'legacy',
    currency: 'USD',
    totalCents: totals.totalCents,
    lines: linesOf(items, totals.taxCents),
  })
  const id = makeReceiptId(needs.random) as ReceiptId
  return needs.db.transaction((tx) =>
    storeOrder({ ...needs, tx }, merchant, key, { id, items, tax, totals, priced, home, request }),
  )
}

type Plan = {
  readonly id: ReceiptId
  readonly items: readonly OrderItem[]
  readonly tax: OrderTax
  readonly totals: OrderTotals
  readonly priced: Priced
  readonly home: ReceiptHome
  readonly request: OrderRequest
}

async function storeOrder(
  needs: CreateOrderNeeds & { readonly brand: Brand; readonly tx: Database },
  merchant: Wallet,
  key: SigningKey | undefined,
  { id, items, tax, totals, priced, home, request }: Plan,
): Promise<Receipt> {
  const { tx, clock, deadlines } = needs
  const now = clock.now()
  const defer = request.isReservedLater ? noteStock : reserveStock
  const { heldCount, shortages } = await defer(tx, merchant, id, wishesOf(items), now)
  if (shortages.length > 0) throw unavailable(items, shortages)

  const reservesStock = heldCount > 0
  const expiresAt =
    request.options.expiresAt ?? (reservesStock ? addMs(deadlines.now(), holdForMs) : undefined)
  const receipt = makeReceipt(
    needs,
    merchant,
    key,
    {
      ...priced,
      ...request.options,
      id,
      origin: 'order',
      status: 'pending',
      tax: {
        jurisdictionCode: tax.jurisdictionCode,
        taxRate: writeTaxRate(tax.rate),
        taxComponents: tax.components,
      },
      expiresAt,
      contentHash: hashContent({ id, items, tax, ...request.options }),
    },
    home,
  )
  const stock = reservesStock ? (request.isReservedLater ? 'released' : 'reserved') : undefined
  const order: Order = { ...totals, merchant, id, items, tax, stock, missing: [], createdAt: now }
  await storeMadeReceipt(tx, receipt)
  await insertOrder(tx, order)
  if (reservesStock) await watchReceipt(tx, merchant, id, expiresAt ?? never)
  return receipt
}

/** @throws {ApiError} `split_required`, `platform_recipient_not_configured`. */
async function getHome(needs: CreateOrderNeeds, merchant: Wallet): Promise<ReceiptHome> {
  const { db, platform } = needs
  const home = await findReceiptHome(db, merchant)
  if (!home.split)
    throw new ApiError(
      'split_required',
      'Before you accept orders, configure a split in the web app at /app/split',
    )
  if (platform.feeBps > 0 && !platform.recipient)
    throw new ApiError('platform_recipient_not_configured', 'PLATFORM_RECIPIENT is not configured')
  return home
}

function refuseTotal(total: Cents): void {
  if (total <= 0n) throw invalidInput({ path: 'items', message: 'must add up to more than zero' })
  if (total > maxCents) {
    const message = `add up to ${formatUnits(total, 2)}, but the maximum is ${formatUnits(maxCents, 2)}`
    throw invalidInput({ path: 'items', message })
  }
}

function linesOf(items: readonly OrderItem[], taxCents: Cents) {
  const lines = items.map((item) => ({
    label: item.name,
    qty: Number(item.qty) as number | undefined,
    usdCents: itemCents(item),
    sentUsdCents: itemCents(item),
  }))
  return [...lines, { label: 'Tax', qty: undefined, usdCents: taxCents, sentUsdCents: taxCents }]
}

/** Merges lines of the same product. */
function wishesOf(items: readonly OrderItem[]) {
  const wishes = new Map<string, bigint>()
  for (const { productId, qty } of items) wishes.set(productId, (wishes.get(productId) ?? 0n) + qty)
  return [...wishes].map(([productId, qty]) => ({ productId, qty }))
}

function unavailable(
  items: readonly OrderItem[],
  shortages: readonly { productId: string; qty: bigint; left: bigint }[],
): ApiError {
  const short = shortages.map(({ productId, qty, left }) => ({
    sku: items.find((item) => item.productId === productId)?.sku ?? '',
    qty: Number(qty),
    left: Number(left),
  }))
  const [first] = short
  return new ApiError(
    'inventory_item_unavailable',
    `Only ${first?.left} of ${first?.sku} left, but ${first?.qty} were ordered`,
    { sku: first?.sku, left: first?.left, items: short },
  )
}

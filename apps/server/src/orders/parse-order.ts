import type { CreateOrderRequest } from '@sluice/protocol/api/orders.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Issue, invalidInput, pathOf, Refusal } from '../kernel/refusal.ts'
import { parseOptions, pastExpiry, type ReceiptOptions } from '../receipts/making/parse-options.ts'
import { isPast } from '../receipts/receipt.ts'

/** One line of what is ordered. */
export type WantedItem = {
  readonly sku: string | undefined
  readonly id: string | undefined
  readonly qty: bigint
  /** What the line says behind the product's name: for when, for one. */
  readonly note?: string | undefined
}

/** What a caller orders, with every alias resolved. */
export type OrderRequest = {
  readonly items: readonly WantedItem[]
  readonly jurisdictionCode: string
  readonly taxRate: number | undefined
  readonly taxComponents: readonly string[] | undefined
  readonly options: ReceiptOptions
  /** Stock is reserved when the buyer begins to pay, and not with the order. */
  readonly isReservedLater?: boolean
}

/** @throws {Refusal} `items_required` for an order of nothing, whatever else is wrong with it. */
export function refuseEmptyOrder(body: unknown): void {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined
  if (Array.isArray(items) && items.length === 0)
    throw new Refusal('items_required', 'An order needs at least one item')
}

/**
 * The order in a body that passed its schema.
 *
 * @throws {Refusal} `invalid_input` with every fault found.
 */
export function parseOrder(
  body: CreateOrderRequest,
  rules: { isProduction: boolean },
  now: UnixMs,
): OrderRequest {
  const issues: Issue[] = []
  const items = body.items.map(({ sku, id, qty }, i) => {
    if (sku === undefined && id === undefined)
      issues.push({ path: pathOf('items', i), message: 'must name a product by sku or id' })
    return { sku, id, qty: BigInt(qty) }
  })
  const options = parseOptions(body, rules, issues)
  if (isPast(options.expiresAt, now)) issues.push(pastExpiry)
  if (issues.length > 0) throw invalidInput(...issues)
  const { jurisdictionCode, taxRate, taxComponents } = body
  return { items, jurisdictionCode, taxRate, taxComponents, options }
}

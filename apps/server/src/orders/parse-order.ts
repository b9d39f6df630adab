import type { CreateOrderRequest } from '@sluice/protocol/api/orders.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError, type Issue, invalidInput, pathOf } from '../kernel/api-error.ts'
import { parseOptions, pastExpiry, type ReceiptOptions } from '../receipts/making/parse-options.ts'
import { isPast } from '../receipts/receipt.ts'

export type WantedItem = {
  readonly sku: string | undefined
  readonly id: string | undefined
  readonly qty: bigint
  readonly note?: string | undefined
}

export type OrderRequest = {
  readonly items: readonly WantedItem[]
  readonly jurisdictionCode: string
  readonly taxRate: number | undefined
  readonly taxComponents: readonly string[] | undefined
  readonly options: ReceiptOptions
  /** Whether to reserve stock when the buyer starts to pay instead of at creation. */
  readonly isReservedLater?: boolean
}

/** @throws {ApiError} `items_required` for an empty order, before any other error. */
export function refuseEmptyOrder(body: unknown): void {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined
  if (Array.isArray(items) && items.length === 0)
    throw new ApiError('items_required', 'An order needs at least one item')
}

/**
 * Parses an order from a body that passed its schema.
 *
 * @throws {ApiError} `invalid_input` with every issue.
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

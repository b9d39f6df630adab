import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Product } from '../inventory/product.ts'
import { findProducts } from '../inventory/store.ts'
import type { Database } from '../platform/database/database.ts'
import type { TaxRateE6 } from '../pricing/taxes/catalog.ts'
import { type FindOwnTaxRate, getTaxRate } from '../pricing/taxes/tax-rate.ts'
import { processingFeeCents } from '../pricing/valuation.ts'
import type { Brand } from '../site/brand.ts'
import { itemOf } from './find-items.ts'
import { type OrderTotals, totalOrder } from './order.ts'
import type { WantedItem } from './parse-order.ts'

export type OrderQuote = OrderTotals & {
  /** Product of each item, or `undefined` if not for sale. */
  readonly products: readonly (Product | undefined)[]
  readonly feeCents: Cents
  readonly customerTotalCents: Cents
  /** Whether the total lacks tax because no jurisdiction is given. */
  readonly lacksJurisdiction: boolean
}

/**
 * Computes the totals of an order as `createOrder` would. Stores and reserves nothing.
 *
 * @throws {ApiError} `invalid_input` if a taxable product has no rate in the jurisdiction.
 */
export async function quoteOrder(
  needs: {
    readonly db: Database
    readonly brand: Pick<Brand, 'processingFeeHundredths'>
    readonly findOwnTaxRate?: FindOwnTaxRate | undefined
  },
  merchant: Wallet,
  request: { readonly items: readonly WantedItem[]; readonly jurisdictionCode: string | undefined },
): Promise<OrderQuote> {
  const products = await findForSale(needs.db, merchant, request.items)
  const items = request.items.flatMap((item, i) => {
    const product = products[i]
    return product ? [itemOf(product, item)] : []
  })
  const isTaxable = items.some(({ taxable }) => taxable)
  const { jurisdictionCode } = request
  const rate =
    isTaxable && jurisdictionCode !== undefined
      ? await findRate(needs, merchant, jurisdictionCode)
      : (0n as TaxRateE6)
  const totals = totalOrder(items, rate)
  const feeCents = processingFeeCents(totals.totalCents, needs.brand.processingFeeHundredths ?? 0n)
  return {
    ...totals,
    products,
    feeCents,
    customerTotalCents: (totals.totalCents + feeCents) as Cents,
    lacksJurisdiction: isTaxable && jurisdictionCode === undefined,
  }
}

async function findForSale(
  db: Database,
  merchant: Wallet,
  wanted: readonly WantedItem[],
): Promise<(Product | undefined)[]> {
  if (wanted.length === 0) return []
  const found = await findProducts(db, merchant, {
    ids: wanted.flatMap(({ id }) => id ?? []),
    skus: wanted.flatMap(({ sku }) => sku ?? []),
  })
  const active = found.filter(({ status }) => status === 'active')
  return wanted.map(({ id, sku }) =>
    active.find((product) => (id === undefined ? product.sku === sku : product.id === id)),
  )
}

async function findRate(
  needs: { readonly findOwnTaxRate?: FindOwnTaxRate | undefined },
  merchant: Wallet,
  jurisdictionCode: string,
): Promise<TaxRateE6> {
  const asked = { jurisdictionCode, taxRate: undefined, taxComponents: undefined, isTaxable: true }
  return (await getTaxRate({ findOwnRate: needs.findOwnTaxRate }, merchant, asked)).rate
}

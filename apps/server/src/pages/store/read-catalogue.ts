import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { readStay, type Stay } from '../cart/cart.ts'
import { type Layout, layoutOf, pageSize } from './shelves.ts'
import type { StoreContext } from './store-context.ts'
import type { StoreList, StoreSection, Stores } from './stores.ts'

export type CatalogueQuery = {
  readonly q: string | undefined
  readonly category: string | undefined
  readonly tag: string | undefined
  readonly cursor: string | undefined
  /** Shows a single list, even if the shop has sections. */
  readonly isAll: boolean
  /** For hotels only: the stay, if its dates are valid, and the dates as sent. */
  readonly stay: Stay | undefined
  readonly dates: { readonly arrival: string; readonly departure: string } | undefined
}

export type Catalogue = {
  readonly query: CatalogueQuery
  readonly layout: Layout
  readonly categories: readonly { readonly name: string; readonly count: number }[]
  readonly lead: ProductView | undefined
  readonly list: StoreList | undefined
  readonly sections: readonly StoreSection[]
}

/** Parses the query. Ignores invalid values. */
export function readQuery(sent: Readonly<Record<string, unknown>>, now: number): CatalogueQuery {
  const dates = { arrival: textOf(sent.arrival, 10) ?? '', departure: textOf(sent.departure, 10) ?? '' }
  return {
    q: textOf(sent.q, 200),
    category: textOf(sent.category, 200),
    tag: textOf(sent.tag, 64),
    cursor: textOf(sent.cursor, 2_048),
    isAll: sent.view === 'all',
    stay: readStay(dates.arrival, dates.departure, now),
    dates: dates.arrival || dates.departure ? dates : undefined,
  }
}

/**
 * Reads the catalog: the first page in the shop's arrangement, all others as a list.
 *
 * @returns `undefined` if the cursor is from a different list.
 */
export async function readCatalogue(
  stores: Stores,
  { shop }: Pick<StoreContext, 'shop'>,
  query: CatalogueQuery,
): Promise<Catalogue | undefined> {
  const { merchant } = shop
  const { q, category, tag, cursor } = query
  const isFront = !(q || category || tag || cursor || query.isAll)
  const layout: Layout = isFront ? layoutOf(shop) : { kind: 'list', hasLead: false }
  const [categories, list, sections, featured] = await Promise.all([
    stores.listCategories(merchant),
    layout.kind === 'list'
      ? stores.listProducts(merchant, { q, category, tag, cursor, limit: pageSize }).catch(unlessCursor)
      : undefined,
    layout.kind === 'list' ? [] : stores.listSections(merchant, layout.room),
    layout.hasLead ? stores.listProducts(merchant, { tag: 'featured', limit: 1 }) : undefined,
  ])
  if (list === 'bad-cursor') return undefined
  const first = list?.products[0] ?? sections[0]?.products[0]
  const lead = layout.hasLead ? (featured?.products[0] ?? first) : undefined
  return { query, layout, categories, lead, list, sections }
}

function unlessCursor(error: unknown): 'bad-cursor' {
  if (error instanceof ApiError && error.code === 'invalid_input') return 'bad-cursor'
  throw error
}

/** Returns one line of at most `maxLength` characters, without characters that PostgreSQL cannot store. */
export function textOf(sent: unknown, maxLength: number): string | undefined {
  if (typeof sent !== 'string') return undefined
  const text = sent
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
  return text === '' ? undefined : text
}

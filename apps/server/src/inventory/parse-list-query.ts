import type { ListProductsQuery } from '@sluice/protocol/api/inventory.ts'
import { type Issue, invalidInput } from '../kernel/api-error.ts'
import { badLimit, type Cursor, packedCursor, readLimit } from '../kernel/page.ts'
import type { ProductStatus } from './product.ts'

export type ProductFilter = {
  readonly statuses: readonly ProductStatus[]
  readonly text: string | undefined
  readonly category: string | undefined
  /** Tags, all of which a product must have. */
  readonly tags: readonly string[]
  readonly isTaxable: boolean | undefined
  readonly isInStock: boolean | undefined
  readonly minCents: bigint | undefined
  readonly maxCents: bigint | undefined
}

export type ProductOrder = { readonly sort: ProductSort; readonly isDescending: boolean }

type ProductSort = (typeof sorts)[number]

type Place = { readonly place: string; readonly id: string }

const sorts = ['name', 'sku', 'priceUsd', 'stockQty', 'updatedAt'] as const

/**
 * Parses the query of a list.
 *
 * @throws {ApiError} `invalid_input` with every issue.
 */
export function parseListQuery(
  query: ListProductsQuery,
  audience: 'merchant' | 'public',
): { filter: ProductFilter; order: ProductOrder; limit: number; after: Place | undefined } {
  const issues: Issue[] = []
  const oneOf = <T extends string>(name: keyof ListProductsQuery, allowed: readonly T[], fallback: T): T => {
    const value = query[name] ?? fallback
    if ((allowed as readonly string[]).includes(value)) return value as T
    issues.push({ path: name, message: `must be one of ${allowed.join(', ')}` })
    return fallback
  }
  const cents = (name: 'priceMin' | 'priceMax'): bigint | undefined => {
    const value = query[name]
    if (value === undefined) return undefined
    const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(value)
    if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(2, '0'))
    issues.push({ path: name, message: 'must be an amount with at most two decimals' })
    return undefined
  }
  const sort = oneOf('sort', sorts, 'updatedAt')
  const order: ProductOrder = {
    sort,
    isDescending: oneOf('order', ['asc', 'desc'], sort === 'updatedAt' ? 'desc' : 'asc') === 'desc',
  }
  const taxable = oneOf('taxable', ['true', 'false', 'any'], 'any')
  const stock = oneOf('stock', ['in', 'out', 'any'], 'any')
  const status =
    query.status === undefined
      ? 'not archived'
      : oneOf('status', ['active', 'draft', 'archived', 'any'] as const, 'any')
  const filter: ProductFilter = {
    statuses: audience === 'public' ? ['active'] : statusesOf[status],
    text: query.q?.trim() || undefined,
    category: query.category || undefined,
    tags: (query.tags ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    isTaxable: taxable === 'any' ? undefined : taxable === 'true',
    isInStock: stock === 'any' ? undefined : stock === 'in',
    minCents: cents('priceMin'),
    maxCents: cents('priceMax'),
  }
  const limit = readLimit(query.limit)
  if (limit === undefined) issues.push(badLimit)
  const after = query.cursor === undefined ? undefined : cursorOf(order).parse(query.cursor)
  if (query.cursor !== undefined && !after)
    issues.push({ path: 'cursor', message: 'is not a valid cursor for this list in this order' })
  if (limit === undefined || issues.length > 0) throw invalidInput(...issues)
  return { filter, order, limit, after }
}

/** Returns the cursor codec of an order. Rejects cursors of another order. */
export function cursorOf({ sort, isDescending }: ProductOrder): Cursor<Place> {
  const head = [sort, isDescending ? 'desc' : 'asc']
  return packedCursor({
    write: ({ id, place }) => [...head, id, place].join('\n'),
    parse(text) {
      const parts = text.split('\n')
      const [id, place] = parts.slice(2)
      const isOurs = parts.length === 4 && head.every((part, i) => part === parts[i]) && !text.includes('\0')
      return isOurs && id && place ? { id, place } : undefined
    },
  })
}

const statusesOf = {
  active: ['active'],
  draft: ['draft'],
  archived: ['archived'],
  any: ['active', 'draft', 'archived'],
  'not archived': ['active', 'draft'],
} as const satisfies Readonly<Record<string, readonly ProductStatus[]>>

const statuses = ['active', 'draft', 'archived', 'any'] as const
const stocks = ['in', 'out'] as const
const sorts = ['name', 'sku', 'priceUsd', 'stockQty', 'updatedAt'] as const

export type ProductSearch = {
  readonly q?: string
  readonly status?: (typeof statuses)[number]
  readonly stock?: (typeof stocks)[number]
  readonly taxable?: 'true' | 'false'
  readonly category?: string
  readonly sort?: (typeof sorts)[number]
  readonly order?: 'asc' | 'desc'
  readonly cursor?: string
}

/** Parses the URL parameters. Ignores invalid values. */
export function readProductSearch(sent: Record<string, unknown>): ProductSearch {
  const oneOf = <T extends string>(name: string, allowed: readonly T[]) => {
    const found = allowed.find((value) => value === String(sent[name]))
    return found === undefined ? {} : { [name]: found }
  }
  const words = (name: string, most: number) => {
    const value = sent[name] === undefined ? '' : String(sent[name]).slice(0, most)
    return value === '' ? {} : { [name]: value }
  }
  return {
    ...words('q', 200),
    ...oneOf('status', statuses),
    ...oneOf('stock', stocks),
    ...oneOf('taxable', ['true', 'false'] as const),
    ...words('category', 200),
    ...oneOf('sort', sorts),
    ...oneOf('order', ['asc', 'desc'] as const),
    ...words('cursor', 2048),
  }
}

import type { components } from '../../api/schema.d.ts'
import { amountOf, centsOf, plainAmount, readCents } from '../../format/cents.ts'
import { type Product, unlimited } from './product.ts'

export type ProductValues = {
  sku: string
  name: string
  description: string
  priceUsd: string
  costUsd: string
  isCounted: boolean
  stockQty: string
  taxable: boolean
  category: string
  tags: string
  images: string
  attributes: string
  status: 'active' | 'draft'
}

type Request = components['schemas']['PutProductRequest']

export const newValues: ProductValues = {
  sku: '',
  name: '',
  description: '',
  priceUsd: '',
  costUsd: '',
  isCounted: false,
  stockQty: '',
  taxable: false,
  category: '',
  tags: '',
  images: '',
  attributes: '',
  status: 'active',
}

export function valuesOf(product: Product): ProductValues {
  const { sku, name, description, taxable, stockQty, costUsd } = product
  const isCounted = stockQty !== unlimited
  return {
    sku,
    name,
    description,
    priceUsd: plainAmount(centsOf(product.priceUsd)),
    costUsd: costUsd === null || costUsd === undefined ? '' : plainAmount(centsOf(costUsd)),
    isCounted,
    stockQty: isCounted ? String(stockQty) : '',
    taxable,
    category: product.category ?? '',
    tags: product.tags.join(', '),
    images: product.images.join('\n'),
    attributes: Object.entries(product.attributes)
      .map(([key, value]) => `${key}: ${writeAttribute(value)}`)
      .join('\n'),
    status: product.status === 'draft' ? 'draft' : 'active',
  }
}

/** Returns the request. The values must be valid. */
export function requestOf(values: ProductValues): Request {
  const { sku, name, description, taxable, status } = values
  const cost = readCents(values.costUsd)
  return {
    sku: sku.trim(),
    name: name.trim(),
    description,
    priceUsd: amountOf(readCents(values.priceUsd) ?? 0n),
    costUsd: cost === undefined ? null : amountOf(cost),
    stockQty: values.isCounted ? Number(values.stockQty) : unlimited,
    taxable,
    category: values.category.trim() || null,
    tags: split(values.tags, ','),
    images: split(values.images, '\n'),
    attributes: Object.fromEntries(readAttributes(values.attributes) ?? []),
    status,
  }
}

/** Parses lines of `name: value`. Returns `undefined` if a line is invalid. */
export function readAttributes(typed: string): [string, unknown][] | undefined {
  const pairs: [string, unknown][] = []
  for (const line of split(typed, '\n')) {
    const at = line.indexOf(':')
    if (at < 1) return undefined
    pairs.push([line.slice(0, at).trim(), readAttribute(line.slice(at + 1).trim())])
  }
  return pairs
}

/** Returns a string unchanged and formats other values as JSON. A string that parses as JSON is quoted. */
function writeAttribute(value: unknown): string {
  const isPlain = typeof value === 'string' && readAttribute(value) === value && !value.includes('\n')
  return isPlain ? value : JSON.stringify(value)
}

function readAttribute(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

function split(typed: string, by: string): string[] {
  return typed
    .split(by)
    .map((part) => part.trim())
    .filter(Boolean)
}

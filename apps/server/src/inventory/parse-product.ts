import type { ChangeProductRequest, PutProductRequest } from '@sluice/protocol/api/inventory.ts'
import { type Cents, readCentsRounded } from '@sluice/protocol/money.ts'
import { type Issue, invalidInput, pathOf } from '../kernel/api-error.ts'
import type { ProductChange, ProductPut } from './product.ts'

const maxAttributeBytes = 8 * 1024

/**
 * Parses a product from a body that passed its schema.
 *
 * @throws {ApiError} `invalid_input` with every issue.
 */
export function parsePutProduct(body: PutProductRequest): ProductPut {
  const { change, issues } = readProductChange(body)
  const { sku, name, priceCents } = change
  if (issues.length > 0 || sku === undefined || name === undefined || priceCents === undefined)
    throw invalidInput(...issues)
  return { ...change, id: body.id, sku, name, priceCents }
}

/** @throws {ApiError} `invalid_input` with every issue. */
export function parseChangeProduct(body: ChangeProductRequest): ProductChange {
  const { change, issues } = readProductChange(body)
  if (issues.length > 0) throw invalidInput(...issues)
  return change
}

/** Returns the fields of a body that passed its schema, and the issues that the schema does not cover. */
export function readProductChange(body: ChangeProductRequest): { change: ProductChange; issues: Issue[] } {
  const issues: Issue[] = []
  const cents = (value: number, path: string): Cents => {
    const read = readCentsRounded(value)
    if (typeof read === 'bigint') return read
    issues.push({ path, message: 'must be an amount of money' })
    return 0n as Cents
  }
  for (const [i, image] of (body.images ?? []).entries()) {
    if (!isHttpsUrl(image)) issues.push({ path: pathOf('images', i), message: 'must be an https URL' })
  }
  if (body.attributes && Buffer.byteLength(JSON.stringify(body.attributes)) > maxAttributeBytes)
    issues.push({ path: 'attributes', message: `must not exceed ${maxAttributeBytes} bytes of JSON` })

  const { sku, name, description, taxable, attributes, status } = body
  const change: ProductChange = {
    ...(sku !== undefined && { sku }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(body.priceUsd !== undefined && { priceCents: cents(body.priceUsd, 'priceUsd') }),
    ...(body.stockQty !== undefined && { stock: BigInt(body.stockQty) }),
    ...(taxable !== undefined && { taxable }),
    ...(body.category !== undefined && { category: body.category ?? undefined }),
    ...(body.tags !== undefined && { tags: [...new Set(body.tags)] }),
    ...(body.images !== undefined && { images: [...new Set(body.images)] }),
    ...(attributes !== undefined && { attributes }),
    ...(body.costUsd !== undefined && {
      costCents: body.costUsd === null ? undefined : cents(body.costUsd, 'costUsd'),
    }),
    ...(status !== undefined && { status }),
  }
  return { change, issues }
}

function isHttpsUrl(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === ''
}

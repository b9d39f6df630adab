import { formatUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import { readJson } from '../kernel/read-json.ts'
import { byteOrderMark, formula, writeCell, writeText } from '../kernel/text/csv.ts'
import { nextTurn } from '../kernel/turns/semaphore.ts'
import type { Database } from '../platform/database/database.ts'
import type { Delimiter } from './parse-csv.ts'
import type { Product } from './product.ts'
import { listForExport } from './store.ts'

/** Maximum size of a product file, for imports and exports. */
export const csvFileLimits = { bytes: 8 * 1024 * 1024, products: 25_000 } as const

export type CsvColumn = {
  readonly name: string
  readonly write: (product: Product) => string
  /**
   * Returns the value, or `undefined` if an empty cell leaves the field unchanged. Throws {@link CellFault}.
   */
  readonly read: (cell: string, delimiter: Delimiter) => unknown
}

/** Returns the text of a cell without the apostrophe that {@link writeText} puts before a formula. */
export function readText(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

export class CellError extends Error {}

/**
 * Columns of a product file, in the order of an export.
 *
 * An empty cell clears a text, list or optional amount, and leaves a number or choice unchanged.
 */
export const csvColumns: readonly CsvColumn[] = [
  { name: 'id', write: ({ id }) => writeText(id), read: orNothing(readText) },
  { name: 'sku', write: ({ sku }) => writeText(sku), read: readText },
  { name: 'name', write: ({ name }) => writeText(name), read: readText },
  { name: 'description', write: ({ description }) => writeText(description), read: readText },
  { name: 'priceUsd', write: ({ priceCents }) => formatUnits(priceCents, 2), read: readNumber },
  { name: 'stockQty', write: ({ stock }) => stock.toString(), read: orNothing(readNumber) },
  { name: 'taxable', write: ({ taxable }) => String(taxable), read: orNothing(readBoolean) },
  {
    name: 'category',
    write: ({ category }) => writeText(category ?? ''),
    read: (cell) => (cell === '' ? null : readText(cell)),
  },
  {
    name: 'tags',
    write: ({ tags }) => writeText(tags.join('|')),
    read: (cell) => split(readText(cell), '|'),
  },
  {
    name: 'images',
    write: ({ images }) => writeText(images.map(escapeSeparators).join(' ')),
    read: (cell) => split(readText(cell), betweenUrls),
  },
  {
    name: 'attributes',
    write: ({ attributes }) => (Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : ''),
    read: (cell) => (cell.trim() === '' ? {} : readValue(cell)),
  },
  {
    name: 'costUsd',
    write: ({ costCents }) => (costCents === undefined ? '' : formatUnits(costCents, 2)),
    read: (cell, delimiter) => (cell.trim() === '' ? null : readNumber(cell, delimiter)),
  },
  { name: 'status', write: ({ status }) => status, read: orNothing((cell) => cell.trim()) },
]

/** Separator between URLs: white space, a comma, a semicolon or a vertical bar. */
const betweenUrls = /[,;|]?\s+|[,;|](?=https?:\/\/|$)/i

/** Encodes the separators that {@link betweenUrls} would split at. */
function escapeSeparators(url: string): string {
  return url.replace(/[,;|](?=https?:\/\/|$)/gi, encodeURIComponent)
}

function orNothing(read: CsvColumn['read']): CsvColumn['read'] {
  return (cell, delimiter) => (cell.trim() === '' ? undefined : read(cell, delimiter))
}

/**
 * Parses a number. Unless the delimiter is a comma, a comma is the decimal separator. Rejects a single
 * separator before three digits, which could mean thousands or a fraction.
 */
function readNumber(sent: string, delimiter: Delimiter): number {
  if (delimiter !== ',' && /^\s*-?\d+[.,]\d{3}\s*$/.test(sent))
    throw new CellError('is ambiguous: use no thousands separator, or write two decimals')
  const cell = delimiter !== ',' ? sent.replace(',', '.') : sent
  if (/^\s*-?\d{1,15}(\.\d{1,15})?\s*$/.test(cell)) return Number(cell)
  throw new CellError('must be a number')
}

function readBoolean(cell: string): boolean {
  const word = cell.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw new CellError('must be true or false')
}

function readValue(cell: string): unknown {
  try {
    return readJson(cell)
  } catch (error) {
    if (error instanceof ApiError) throw new CellError('must be a JSON object')
    throw error
  }
}

function split(cell: string, by: string | RegExp): string[] {
  return cell
    .split(by)
    .map((part) => part.trim())
    .filter(Boolean)
}

const batchSize = 1_000

type ProductFile = { readonly csv: string; readonly nextCursor: string | undefined }

/**
 * Exports products that are not archived as CSV, with all columns of an import. An apostrophe protects text
 * that a spreadsheet would read as a formula.
 *
 * A file stays within the import limits. The next file contains the rest.
 *
 * @param after - `nextCursor` of the previous file.
 */
export async function exportProducts(
  needs: { db: Database },
  merchant: Wallet,
  after = '',
): Promise<ProductFile> {
  const header = `${byteOrderMark}${csvColumns.map(({ name }) => name).join(',')}\r\n`
  const lines = [header]
  const file = (nextCursor?: string) => ({ csv: lines.join(''), nextCursor })
  let room = csvFileLimits.bytes - Buffer.byteLength(header)
  let last = after
  for (;;) {
    const products = await listForExport(needs.db, merchant, last, batchSize)
    for (const product of products) {
      const line = `${csvColumns.map(({ write }) => writeCell(write(product))).join(',')}\r\n`
      room -= Buffer.byteLength(line)
      if (room < 0 || lines.length > csvFileLimits.products) return file(last)
      lines.push(line)
      last = product.id
    }
    if (products.length < batchSize) return file()
    await nextTurn()
  }
}

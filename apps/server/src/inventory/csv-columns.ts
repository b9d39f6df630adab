import { formatUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { readJson } from '../kernel/read-json.ts'
import { Refusal } from '../kernel/refusal.ts'
import { byteOrderMark, formula, writeCell, writeText } from '../kernel/text/csv.ts'
import { nextTurn } from '../kernel/turns/lane.ts'
import type { Database } from '../platform/database/database.ts'
import type { Delimiter } from './parse-csv.ts'
import type { Product } from './product.ts'
import { listForExport } from './store.ts'

/** The largest file of products, for imports and exports alike. */
export const csvFileLimits = { bytes: 8 * 1024 * 1024, products: 25_000 } as const

/** A column of the file: how a product is written into it, and what a cell of it means in a body. */
export type CsvColumn = {
  readonly name: string
  readonly write: (product: Product) => string
  /** The value of the field; `undefined` where an empty cell says nothing. Throws what is wrong with the cell. */
  readonly read: (cell: string, delimiter: Delimiter) => unknown
}

/** The text in a cell: the apostrophe that {@link writeText} puts before a formula's first sign is taken off. */
export function readText(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

/** What is wrong with one cell. */
export class CellFault extends Error {}

/**
 * The columns a file of products may have, in the order they are written.
 *
 * An empty cell of a text, list or optional amount empties the field; of a number or a choice it leaves the
 * field as it is.
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

/** White space, and what people write with it or in its place: a comma, a semicolon or a bar. */
const betweenUrls = /[,;|]?\s+|[,;|](?=https?:\/\/|$)/i

/** A URL that {@link betweenUrls} leaves whole. */
function escapeSeparators(url: string): string {
  return url.replace(/[,;|](?=https?:\/\/|$)/gi, encodeURIComponent)
}

function orNothing(read: CsvColumn['read']): CsvColumn['read'] {
  return (cell, delimiter) => (cell.trim() === '' ? undefined : read(cell, delimiter))
}

/**
 * Where no commas separate the cells, the comma is the decimal one, and a number whose one sign has three digits
 * behind it is a thousand to one reader and a fraction to the other: nobody's price is guessed.
 */
function readNumber(sent: string, delimiter: Delimiter): number {
  if (delimiter !== ',' && /^\s*-?\d+[.,]\d{3}\s*$/.test(sent))
    throw new CellFault(
      'could be thousands or a fraction: write it without a separator, or with two decimals',
    )
  const cell = delimiter !== ',' ? sent.replace(',', '.') : sent
  if (/^\s*-?\d{1,15}(\.\d{1,15})?\s*$/.test(cell)) return Number(cell)
  throw new CellFault('must be a number')
}

function readBoolean(cell: string): boolean {
  const word = cell.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw new CellFault('must be true or false')
}

function readValue(cell: string): unknown {
  try {
    return readJson(cell)
  } catch (error) {
    if (error instanceof Refusal) throw new CellFault('must be a JSON object')
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

/** A file of products, and the id of its last one if there are more. */
type ProductFile = { readonly csv: string; readonly nextCursor: string | undefined }

/**
 * Returns the products that are not archived as a CSV file, with every column an import takes: importing it gives
 * the same products again. A text that a spreadsheet would take for a formula has an apostrophe before it, which an
 * import takes off.
 *
 * A file is never larger than an import takes: what does not fit is in the next one.
 *
 * @param after - `nextCursor` of the file before.
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

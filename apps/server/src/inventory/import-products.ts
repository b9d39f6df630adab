import { type PutProductRequest, putProductRequest } from '@sluice/protocol/api/inventory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import { ApiError, invalidInput, pathOf, pathWithin } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { issuesOf } from '../kernel/text/schema-issues.ts'
import { nextTurn } from '../kernel/turns/semaphore.ts'
import type { Database } from '../platform/database/database.ts'
import { CellError, type CsvColumn, csvColumns, csvFileLimits } from './csv-columns.ts'
import { CsvError, type CsvRecord, type Delimiter, delimiterOf, parseCsv } from './parse-csv.ts'
import { readProductChange } from './parse-product.ts'
import type { ProductPut } from './product.ts'
import { upsertProducts } from './upsert-products.ts'

export type ImportResult = {
  readonly created: number
  readonly updated: number
  readonly ignoredColumns: readonly string[]
}

export type ImportProgress = {
  readonly stage: 'checking' | 'writing'
  readonly done: number
  readonly total: number
}

const rowsPerTurn = 500
const maxColumns = 100
const maxColumnName = 200
const shownIssues = 200
const required = ['sku', 'name', 'priceUsd'] as const
const schema = Compile(putProductRequest)

/**
 * Imports all products of a CSV file, or none if a row is invalid.
 *
 * @param report - Receives the progress every few hundred rows.
 * @throws {ApiError} `invalid_input`; the path of each issue is `rows/<line of the file>/<column>`.
 */
export async function importProducts(
  needs: { db: Database; clock: Clock; random: Random },
  merchant: Wallet,
  csv: string,
  report: (progress: ImportProgress) => void = () => {},
): Promise<ImportResult> {
  const delimiter = delimiterOf(csv)
  const [header, ...rows] = await readRecords(csv, delimiter)
  const { ignored, ...file } = { ...readHeader(header), delimiter }
  if (rows.length === 0) throw invalidInput({ path: '', message: 'The file contains no products' })

  const errors = new Errors()
  const total = rows.length
  const puts: (ProductPut | undefined)[] = []
  for (let at = 0; at < total; at += rowsPerTurn) {
    report({ stage: 'checking', done: at, total })
    await nextTurn()
    puts.push(...rows.slice(at, at + rowsPerTurn).map((row) => readRow(row, file, errors)))
  }
  refuseRepeats(rows, puts, errors)
  errors.throwIfAny()
  const outcome = await upsertProducts(
    needs,
    merchant,
    puts.filter((put) => put !== undefined),
    (done) => report({ stage: 'writing', done, total }),
  )
  if (outcome.kind === 'conflict') {
    for (const { index, message } of outcome.conflicts) errors.add(rows[index], 'sku', message)
    errors.throwIfAny()
    throw new Error('a conflict has a row')
  }
  return {
    created: outcome.created,
    updated: outcome.products.length - outcome.created,
    ignoredColumns: ignored,
  }
}

async function readRecords(csv: string, delimiter: Delimiter): Promise<CsvRecord[]> {
  const { products } = csvFileLimits
  const records: CsvRecord[] = []
  try {
    for (const record of parseCsv(csv, delimiter)) {
      if (record.cells.every((cell) => cell.trim() === '')) continue
      if (records.push(record) > products + 1)
        throw invalidInput({ path: '', message: `The file contains more than ${products} products` })
      if (records.length % rowsPerTurn === 0) await nextTurn()
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidInput({ path: pathOf('rows', error.line), message: error.message })
  }
  return records
}

/** Collects the issues of all rows. Reports the first ones and the total count. */
class Errors {
  readonly #issues: { path: string; message: string }[] = []
  #count = 0

  add(row: CsvRecord | undefined, column: string, message: string): void {
    this.#count++
    const path = pathWithin(pathOf('rows', row?.line ?? 0), column)
    if (this.#issues.length < shownIssues) this.#issues.push({ path, message })
  }

  throwIfAny(): void {
    if (this.#count === 0) return
    const { message, extras } = invalidInput(...this.#issues)
    throw new ApiError('invalid_input', message, { ...extras, issueCount: this.#count })
  }
}

type Header = { readonly columns: readonly (CsvColumn | undefined)[]; readonly ignored: readonly string[] }

function readHeader(header: CsvRecord | undefined): Header {
  const names = (header?.cells ?? []).map((cell) => cell.trim())
  // The response lists ignored columns, so their number and length must be limited.
  if (names.length > maxColumns || names.some((name) => name.length > maxColumnName)) {
    const message = `has more than ${maxColumns} columns, or a column name longer than ${maxColumnName} characters`
    throw invalidInput({ path: pathOf('rows', 1), message })
  }
  const columns = names.map((name) =>
    csvColumns.find((column) => column.name.toLowerCase() === name.toLowerCase()),
  )
  const missing = required.filter((name) => !columns.some((column) => column?.name === name))
  const repeated = columns.flatMap((column, i) =>
    column && columns.indexOf(column) !== i ? [column.name] : [],
  )
  const errors = [
    ...missing.map((name) => ({
      path: pathOf('rows', 1, name),
      message: `the file does not have the column ${name}`,
    })),
    ...repeated.map((name) => ({ path: pathOf('rows', 1, name), message: 'appears twice' })),
  ]
  if (errors.length > 0) throw invalidInput(...errors)
  return { columns, ignored: names.filter((name, i) => !columns[i] && name !== '') }
}

type FileForm = Pick<Header, 'columns'> & { readonly delimiter: Delimiter }

function readRow(row: CsvRecord, { columns, delimiter }: FileForm, errors: Errors): ProductPut | undefined {
  if (row.cells.length !== columns.length) {
    errors.add(row, '', `has ${row.cells.length} cells, but the header has ${columns.length}`)
    return undefined
  }
  const body: Record<string, unknown> = {}
  let isFine = true
  const reason = (column: string, message: string) => {
    isFine = false
    errors.add(row, column, message)
  }
  for (const [i, column] of columns.entries()) {
    if (!column) continue
    try {
      const value = column.read(row.cells[i] ?? '', delimiter)
      if (value !== undefined) body[column.name] = value
    } catch (error) {
      if (!(error instanceof CellError)) throw error
      reason(column.name, error.message)
    }
  }
  if (!isFine) return undefined
  if (!schema.Check(body)) {
    for (const { path, message } of issuesOf(schema.Errors(body))) reason(path, message)
    return undefined
  }
  return readBody(body, reason)
}

function readBody(
  body: PutProductRequest,
  reason: (column: string, message: string) => void,
): ProductPut | undefined {
  const { change, issues } = readProductChange(body)
  for (const { path, message } of issues) reason(path, message)
  const { sku, name, priceCents } = change
  if (issues.length > 0 || sku === undefined || name === undefined || priceCents === undefined)
    return undefined
  return { ...change, id: body.id, sku, name, priceCents }
}

function refuseRepeats(
  rows: readonly CsvRecord[],
  puts: readonly (ProductPut | undefined)[],
  errors: Errors,
): void {
  const seen = { sku: new Map<string, number>(), id: new Map<string, number>() }
  for (const [i, put] of puts.entries()) {
    for (const name of ['sku', 'id'] as const) {
      const value = put?.[name]
      if (value === undefined) continue
      const before = seen[name].get(value)
      if (before !== undefined) errors.add(rows[i], name, `also appears in row ${before}`)
      else seen[name].set(value, rows[i]?.line ?? 0)
    }
  }
}

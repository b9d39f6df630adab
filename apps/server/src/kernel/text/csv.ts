import { Readable } from 'node:stream'

/** Marks a file as UTF-8 for Excel, which otherwise garbles letters outside ASCII. */
export const byteOrderMark = '\uFEFF'

/** Start of a cell that a spreadsheet evaluates as a formula. */
export const formula = /^'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/

/**
 * Adds a leading apostrophe to text that a spreadsheet would evaluate as a formula.
 *
 * If apostrophes precede the formula, adds one more, so that the escape is reversible.
 */
export function writeText(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

/**
 * Quotes a CSV cell (RFC 4180) if necessary, also for semicolons and tabs.
 *
 * Many spreadsheets split columns at these characters and would evaluate the rest as a formula.
 */
export function writeCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$|^\uFEFF/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Column of a CSV file. `undefined` becomes an empty cell. */
export type CsvField<Row> = readonly [
  name: string,
  write: (row: Row) => string | number | bigint | boolean | undefined,
]

/** Returns Unix milliseconds as ISO 8601 text in UTC. */
export function isoTime(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : new Date(moment).toISOString()
}

/**
 * Streams rows as CSV, page by page on demand. Stops when the reader has disconnected.
 *
 * Resolves with the first page, so that an early failure still becomes an error response.
 */
export async function streamCsv<Row>(
  fields: readonly CsvField<Row>[],
  pages: AsyncGenerator<readonly Row[], void, undefined>,
): Promise<Readable> {
  const first = await pages.next()
  async function* write() {
    try {
      yield `${byteOrderMark}${fields.map(([name]) => writeCell(name)).join(',')}\r\n`
      if (first.done) return
      yield writeRows(fields, first.value)
      for await (const page of pages) yield writeRows(fields, page)
    } finally {
      await pages.return()
    }
  }
  return Readable.from(write(), { objectMode: false, highWaterMark: 64 * 1024 })
}

/** Returns the headers of a CSV download. `fileName` has no extension. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileName}.csv"`,
  }
}

function writeRows<Row>(fields: readonly CsvField<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => fields.map(([, write]) => writeField(write(row))).join(','))
  return lines.map((line) => `${line}\r\n`).join('')
}

function writeField(value: ReturnType<CsvField<never>[1]>): string {
  if (value === undefined) return ''
  return writeCell(typeof value === 'string' ? writeText(value) : String(value))
}

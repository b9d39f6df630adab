import { Readable } from 'node:stream'

/** Says to Excel that a file is UTF-8; without it, every other letter than a to z is garbled there. */
export const byteOrderMark = '\uFEFF'

/** How a spreadsheet begins to take a cell for a formula. */
export const formula = /^'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/

/**
 * A text as a spreadsheet takes it for one: with an apostrophe before what would begin a formula there. One that
 * begins with apostrophes and then so gets one more, so that every text can be had back as it was.
 */
export function writeText(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

/**
 * A cell of a file of comma-separated values (RFC 4180). Semicolons and tabs are quoted too: many spreadsheets divide
 * columns by them, and take what follows one for a formula.
 */
export function writeCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$|^\uFEFF/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What stands in one column of a file, for one of its rows. What is `undefined` is an empty cell. */
export type CsvField<Row> = readonly [
  name: string,
  write: (row: Row) => string | number | bigint | boolean | undefined,
]

/** A moment as files have it; `undefined` for none. */
export function isoTime(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : new Date(moment).toISOString()
}

/**
 * Rows as a file of comma-separated values, page by page as it is taken: no page is asked for before there is room for
 * it, and none after the reader has gone. The first page is there when this resolves, so that what is refused or away is
 * told as an answer of its own.
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

/** The headers of such a file. */
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

/** Numbers are no texts: a minus before one begins no formula. */
function writeField(value: ReturnType<CsvField<never>[1]>): string {
  if (value === undefined) return ''
  return writeCell(typeof value === 'string' ? writeText(value) : String(value))
}

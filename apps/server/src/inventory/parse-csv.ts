/** A record of a CSV file, and the line of the file it begins on, counted from 1. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] }

/** What is wrong with a file as CSV, and on which line. */
export class CsvFault extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** What stands between two cells: spreadsheets of half of Europe write semicolons. */
export type Delimiter = ',' | ';'

/** What separates the cells of a file, by its first line: whatever of the two there is more of. */
export function delimiterOf(text: string): Delimiter {
  const end = text.indexOf('\n')
  const head = end === -1 ? text : text.slice(0, end)
  return head.split(';').length > head.split(',').length ? ';' : ','
}

/**
 * Reads the records of a CSV file (RFC 4180): lines ended by LF or CRLF, quotes doubled inside quotes.
 *
 * A byte order mark is skipped, and so are empty lines. A quote within a cell that does not begin with one is
 * an ordinary sign.
 *
 * @throws {CsvFault} at the first one.
 */
export function* parseCsv(text: string, delimiter: Delimiter = ','): Generator<CsvRecord, void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const start = line
    const cells: string[] = []
    for (;;) {
      const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, delimiter)
      if (cell === undefined) throw new CsvFault(line, 'a quote is not closed')
      cells.push(cell.value)
      line += cell.lineCount
      at = cell.end
      if (text[at] !== delimiter) break
      at++
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    if (at < text.length && text[at] !== '\n')
      throw new CsvFault(line, 'a cell continues after its closing quote')
    at++
    line++
    if (cells.length > 1 || cells[0] !== '') yield { line: start, cells }
  }
}

type Cell = { readonly value: string; readonly end: number; readonly lineCount: number }

const plainEnds = { ',': /[,\n]|\r\n/g, ';': /[;\n]|\r\n/g } as const

function readPlain(text: string, start: number, delimiter: Delimiter): Cell {
  const plainEnd = plainEnds[delimiter]
  plainEnd.lastIndex = start
  const end = plainEnd.exec(text)?.index ?? text.length
  return { value: text.slice(start, end), end, lineCount: 0 }
}

function readQuoted(text: string, start: number): Cell | undefined {
  let value = ''
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return undefined
    value += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') return { value, end: at, lineCount: value.split('\n').length - 1 }
    value += '"'
  }
}

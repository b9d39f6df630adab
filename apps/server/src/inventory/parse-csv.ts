/** Record, and the line on which it starts, counted from 1. */
export type CsvRecord = { readonly line: number; readonly cells: readonly string[] }

export class CsvError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const delimiters = [',', ';', '\t'] as const

export type Delimiter = (typeof delimiters)[number]

/** Returns the delimiter of Excel's `sep=;` line, or the most frequent delimiter of the first line. */
export function delimiterOf(text: string): Delimiter {
  const named = delimiters.find((each) => each === separatorLine.exec(text)?.[1])
  if (named) return named
  const head = text.split(lineEnd, 1)[0] ?? ''
  const count = (each: Delimiter) => head.split(each).length
  return delimiters.reduce((most, each) => (count(each) > count(most) ? each : most))
}

const lineEnd = /\r\n|\r|\n/
const separatorLine = /^\uFEFF?sep=([^\r\n])(?:\r\n|\r|\n)/i

/**
 * Parses CSV (RFC 4180) with LF, CRLF or CR line ends.
 *
 * Skips a byte order mark, a `sep=` line and empty lines. A quote inside an unquoted cell is an ordinary
 * character.
 *
 * @throws {CsvFault} at the first error.
 */
export function* parseCsv(text: string, delimiter: Delimiter = ','): Generator<CsvRecord, void> {
  const separator = separatorLine.exec(text)?.[0].length
  let at = separator ?? (text.startsWith('\uFEFF') ? 1 : 0)
  let line = separator === undefined ? 1 : 2
  while (at < text.length) {
    const start = line
    const cells: string[] = []
    for (;;) {
      const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, delimiter)
      if (cell === undefined) throw new CsvError(line, 'a quote is not closed')
      cells.push(cell.value)
      line += cell.lineCount
      at = cell.end
      if (text[at] !== delimiter) break
      at++
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new CsvError(line, 'a cell continues after its closing quote')
    at += text.startsWith('\r\n', at) ? 2 : 1
    line++
    if (cells.length > 1 || cells[0] !== '') yield { line: start, cells }
  }
}

type Cell = { readonly value: string; readonly end: number; readonly lineCount: number }

const plainEnds = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g } as const

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
    if (text[at] !== '"') return { value, end: at, lineCount: value.split(lineEnd).length - 1 }
    value += '"'
  }
}

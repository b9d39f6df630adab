const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const bitsOf = new Map([...digits].map((digit, bits) => [digit, bits]))

/**
 * Where the lines of a bundle came from, as little of it as a stack trace needs: by line and column of the bundle, the
 * number of the source and its line; only the places where one of these changes. Zero is the first line of each.
 */
export type Positions = { readonly sources: readonly string[]; readonly rows: Int32Array }

const width = 4

/** Takes from a source map what stack traces need. */
export function readSourceMap(map: { readonly sources: string[]; readonly mappings: string }): Positions {
  const rows: number[] = []
  let [source, line] = [0, 0]
  let last = ''
  for (const [bundleLine, segments] of map.mappings.split(';').entries()) {
    let column = 0
    for (const segment of segments === '' ? [] : segments.split(',')) {
      const [columns = 0, sources = 0, lines = 0] = readNumbers(segment)
      column += columns
      source += sources
      line += lines
      const here = `${bundleLine} ${source} ${line}`
      if (here !== last) rows.push(bundleLine, column, source, line)
      last = here
    }
  }
  return { sources: map.sources, rows: Int32Array.from(rows) }
}

/** Where a place in a bundle came from; line and column count from 1, as stack traces do. */
export function findPosition(
  { sources, rows }: Positions,
  line: number,
  column: number,
): { readonly source: string; readonly line: number } | undefined {
  let [from, to] = [0, rows.length / width]
  while (from < to) {
    const middle = (from + to) >> 1
    const [rowLine = 0, rowColumn = 0] = rows.subarray(middle * width, middle * width + 2)
    if (rowLine < line - 1 || (rowLine === line - 1 && rowColumn < column)) from = middle + 1
    else to = middle
  }
  const [rowLine, , sourceIndex = -1, sourceLine = 0] = rows.subarray((from - 1) * width, from * width)
  const source = sources[sourceIndex]
  return from > 0 && rowLine === line - 1 && source !== undefined
    ? { source, line: sourceLine + 1 }
    : undefined
}

/** The variable-length numbers of a source map: six bits a digit, the lowest first, the sign in the last bit. */
function readNumbers(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = bitsOf.get(digit) ?? 0
    value |= (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1)
    value = 0
    shift = 0
  }
  return numbers
}

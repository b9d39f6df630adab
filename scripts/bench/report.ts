/** The values of a figure in all rounds. The median is compared with the limit. */
export type Figure = {
  readonly what: string
  readonly values: readonly number[]
  readonly digits?: number
  readonly least?: number
  readonly most?: number
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export function isMissed({
  values,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
}: Figure) {
  const median = medianOf(values)
  return !(median >= least && median <= most)
}

/** Formats the median, the range over the rounds, and the limit. */
function formatFigure(figure: Figure): string {
  const { values, digits = 0, least, most } = figure
  const print = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const spread = values.length > 1 ? ` (${print(Math.min(...values))}–${print(Math.max(...values))})` : ''
  const mark = least !== undefined ? `, mark ≥ ${least}` : most !== undefined ? `, mark ≤ ${most}` : ''
  return `${print(medianOf(values))}${spread}${mark}${isMissed(figure) ? ' **missed**' : ''}`
}

/** Prints a Markdown table with one column per list. All lists contain the same figures. */
export function printTable(columns: Readonly<Record<string, readonly Figure[]>>): void {
  const lists = Object.values(columns)
  if (!lists[0]?.length) return
  console.log(`\n| | ${Object.keys(columns).join(' | ')} |\n|---|${'---|'.repeat(lists.length)}`)
  for (const [i, { what }] of lists[0].entries())
    console.log(`| ${what} | ${lists.map((figures) => formatFigure(figures[i] as Figure)).join(' | ')} |`)
}

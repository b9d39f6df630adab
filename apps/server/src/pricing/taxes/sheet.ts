/** A group of rates from one source, as they are written down: percent, and what they are made of. */
export type RateSheet = {
  readonly source: string
  readonly date: string
  /** What the tax is called where a row names no components. */
  readonly tax: string
  readonly rows: readonly RateRow[]
}

/** Code, name, percent, and the parts in percent where there are several. */
type RateRow = readonly [
  code: string,
  name: string,
  percent: number,
  parts?: readonly (readonly [name: string, percent: number])[],
]

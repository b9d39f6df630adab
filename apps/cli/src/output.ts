type Stream = {
  write(text: string, done?: () => void): unknown
  readonly isTTY?: boolean
}

/** How a word is shown on a terminal. */
export type Style = 'strong' | 'weak' | 'good' | 'bad' | 'warn'

/**
 * What the program says. On stdout is the result and nothing else, for people or, with `--json`, for programs;
 * whatever goes beside it is on stderr.
 */
export class Output {
  readonly isJson: boolean
  readonly #stdout: Stream
  readonly #stderr: Stream
  readonly #hasColor: boolean

  constructor(stdout: Stream, stderr: Stream, options: { isJson: boolean; hasColor: boolean }) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.isJson = options.isJson
    this.#hasColor = options.hasColor
  }

  /** The result: one line of JSON for programs, else what `human` prints. */
  result(value: unknown, human: () => void): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value)}\n`)
    else human()
  }

  /** A part of a file on stdout, as it is; resolves when it is out, so that nothing piles up. */
  async raw(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#stdout.write(text, resolve))
  }

  /** A line for people on stdout; nothing with `--json`. */
  line(text = ''): void {
    if (!this.isJson) this.#stdout.write(`${text}\n`)
  }

  /** A line beside the result, on stderr. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`)
  }

  /** Lines of a name and a value, the values below each other. */
  fields(entries: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...entries.map(([name]) => name.length))
    for (const [name, value] of entries)
      this.line(`${this.paint('weak', name.padEnd(width))}  ${clean(value)}`)
  }

  /** Rows below a head, each column as wide as its widest cell. */
  table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): void {
    if (rows.length === 0) {
      this.line(this.paint('weak', empty))
      return
    }
    const cells = rows.map((row) => row.map(clean))
    const widths = head.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)))
    const print = (row: readonly string[]) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()
    this.line(this.paint('weak', print(head)))
    for (const row of cells) this.line(print(row))
  }

  /** The text in a style, on a terminal that shows any. */
  paint(style: Style, text: string): string {
    return this.#hasColor ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
  }
}

const codes: Readonly<Record<Style, number>> = { strong: 1, weak: 2, good: 32, bad: 31, warn: 33 }

/** Text of others without what a terminal would obey. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** A time as people read it. */
export function showTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}

/** An amount of dollars or euros. */
export function showMoney(amount: number, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`
}

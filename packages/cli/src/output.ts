type Stream = {
  write(text: string, done?: () => void): unknown
  readonly isTTY?: boolean
}

export type Style = 'strong' | 'weak' | 'good' | 'bad' | 'warn'

/** Writes results to stdout, as text or as JSON with `--json`, and all other messages to stderr. */
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

  result(value: unknown, human: () => void): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value)}\n`)
    else human()
  }

  /** Writes to stdout unchanged. Resolves when written, which limits buffering. */
  async raw(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#stdout.write(text, resolve))
  }

  /** Prints a line to stdout. Prints nothing with `--json`. */
  line(text = ''): void {
    if (!this.isJson) this.#stdout.write(`${text}\n`)
  }

  note(text: string): void {
    this.#stderr.write(`${text}\n`)
  }

  fields(entries: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...entries.map(([name]) => name.length))
    for (const [name, value] of entries)
      this.line(`${this.paint('weak', name.padEnd(width))}  ${clean(value)}`)
  }

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

  paint(style: Style, text: string): string {
    return this.#hasColor ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
  }
}

const codes: Readonly<Record<Style, number>> = { strong: 1, weak: 2, good: 32, bad: 31, warn: 33 }

/** Replaces control and bidirectional characters in untrusted text, which a terminal would interpret. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters to replace
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd')
}

export function showTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}

export function showMoney(amount: number, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`
}

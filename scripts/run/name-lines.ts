/** Takes a text in pieces, and passes it on in whole lines that each begin with a name. */
export type LineNamer = {
  write(text: string): void
  /** Passes on what is left of a last line that has no end. */
  end(): void
}

/** One for what is written by `name`, whose lines stand among those of others. */
export function nameLines(name: string, pass: (lines: string) => void): LineNamer {
  let rest = ''
  const named = (line: string) => `${name} │ ${line}`.trimEnd()
  return {
    write(text) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) pass(lines.map((line) => `${named(line)}\n`).join(''))
    },
    end() {
      if (rest !== '') pass(`${named(rest)}\n`)
      rest = ''
    },
  }
}

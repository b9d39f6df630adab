/** A record that waits, as it stands on disk: objects made of 64 MB of records would take many times that. */
export type Waiting = { readonly text: string; readonly line: Line; next: Waiting | undefined }

/** What waits of one subject, in its order. */
export type Line = {
  readonly subject: string
  first: Waiting | undefined
  last: Waiting | undefined
  /** Its first record being done, by whoever came first. */
  doing: Promise<void> | undefined
}

/**
 * Records that wait: all of them in the order they came in, and those of one subject in a line of their own. A line that
 * was put off no longer counts among the others, so that nobody looks at its records to pass over them.
 *
 * Adding one and letting go of one take the same time however many wait.
 */
export class WaitingRecords {
  readonly #lines = new Map<string, Line>()
  readonly #inOrder = new Set<Waiting>()
  /** Those put off longest ago first. */
  readonly #late = new Set<Line>()
  readonly #bytesOf: (text: string) => number
  #count = 0
  #bytes = 0

  /** @param bytesOf - What a record takes on disk. */
  constructor(bytesOf: (text: string) => number) {
    this.#bytesOf = bytesOf
  }

  get count(): number {
    return this.#count
  }

  /** What they take on disk together. */
  get bytes(): number {
    return this.#bytes
  }

  /** The first that waits of a subject; `undefined` where nothing does. */
  firstOf(subject: string): Waiting | undefined {
    return this.#lines.get(subject)?.first
  }

  /** The records of lines that were not put off, oldest first; what comes or goes meanwhile is heeded. */
  inOrder(): Iterable<Waiting> {
    return this.#inOrder
  }

  /** Whether what waits of a subject was put off. */
  isLate(subject: string): boolean {
    const line = this.#lines.get(subject)
    return line !== undefined && this.#late.has(line)
  }

  /** The lines that were put off, as they stand now. */
  late(): Line[] {
    return [...this.#late]
  }

  /** Their texts, in order within each subject. */
  texts(): string[] {
    const texts = Array.from(this.#inOrder, ({ text }) => text)
    for (const line of this.#late) for (const { text } of recordsOf(line)) texts.push(text)
    return texts
  }

  add(subject: string, text: string): void {
    const line = this.#lines.get(subject) ?? this.#begin(subject)
    const record: Waiting = { text, line, next: undefined }
    if (line.last) line.last.next = record
    else line.first = record
    line.last = record
    if (!this.#late.has(line)) this.#inOrder.add(record)
    this.#count += 1
    this.#bytes += this.#bytesOf(text)
  }

  /** Lets go of the first of a line. */
  shift(line: Line): void {
    const { first } = line
    if (!first) return
    line.first = first.next
    this.#inOrder.delete(first)
    this.#count -= 1
    this.#bytes -= this.#bytesOf(first.text)
    if (line.first) return
    this.#lines.delete(line.subject)
    this.#late.delete(line)
  }

  /** Has a line come after all others, those that were put off before included, until nothing of it waits any more. */
  putOff(line: Line): void {
    if (!line.first) return
    if (!this.#late.delete(line)) for (const record of recordsOf(line)) this.#inOrder.delete(record)
    this.#late.add(line)
  }

  #begin(subject: string): Line {
    const line: Line = { subject, first: undefined, last: undefined, doing: undefined }
    this.#lines.set(subject, line)
    return line
  }
}

function* recordsOf(line: Line): Iterable<Waiting> {
  for (let record = line.first; record; record = record.next) yield record
}

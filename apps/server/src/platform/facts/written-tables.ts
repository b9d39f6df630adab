import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUuid, systemRandom } from '../../kernel/random.ts'

/** The channel on which processes tell each other which tables they have written. */
export const writtenChannel = 'sluice_written'

/** Written all the time, and nobody rests on what is in them. */
const unheard = new Set(['lease', 'request_log'])

const writes = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/g
/** What the functions of the schema write. */
export const writtenByFunction: ReadonlyMap<string, readonly string[]> = new Map([
  ['store_receipts', ['receipt', 'receipt_history', 'receipt_tally_change', 'receipt_term', 'idempotency']],
])
const calls = /\bSELECT\s+(\w+)\s*\(/g
const known = new Map<string, readonly string[]>()

/** The tables that a statement may write, read from its text. */
export function tablesWrittenBy({ name, text }: { name: string; text: string }): readonly string[] {
  // What has no name is sent once, and says of no other what that writes.
  const before = name && known.get(name)
  if (before) return before
  const tables = [
    ...[...text.matchAll(writes)].map(([, table = '']) => table),
    ...[...text.matchAll(calls)].flatMap(([, called = '']) => writtenByFunction.get(called) ?? []),
  ]
  const heard = [...new Set(tables)].filter((table) => !unheard.has(table) && /^[a-z]/.test(table))
  if (name) known.set(name, heard)
  return heard
}

/**
 * When which table was written last, counted and not timed: what was read since is still so.
 *
 * It knows what this process writes, and what others tell. While they cannot be heard, everything may be written at
 * any time.
 */
export class WrittenTables {
  /** Begins what this process says to others: it hears its own words too, and knows them already. */
  readonly origin = randomUuid(systemRandom)
  #count = 0
  #isHearing = false
  /** At which count something unknown happened. */
  #allAt = 0
  readonly #last = new Map<string, Write>()

  /** How often something was written. */
  get count(): number {
    return this.#count
  }

  /** Takes note of tables that were written and committed. */
  note(tables: readonly string[]): void {
    const at = ++this.#count
    const by = recording.getStore()
    for (const table of tables) {
      const last = this.#last.get(table)
      const beforeAt = last && (last.by === by ? last.beforeAt : last.at)
      this.#last.set(table, { at, by, beforeAt: beforeAt ?? 0 })
    }
  }

  /** Takes what a process has said: its origin and the tables it has written. */
  take(message: string): void {
    const [origin, ...tables] = message.split(' ')
    if (origin !== this.origin) this.note(tables)
  }

  /** Others are heard from now on, or not any more: what they wrote meanwhile is not known. */
  hear(isHearing: boolean): void {
    this.#isHearing = isHearing
    this.#allAt = ++this.#count
  }

  /** Whether all that was read is still so, as far as this process can know, but for what its reader wrote itself. */
  isSame(reads: Reads, since: number): boolean {
    if (!this.#isHearing || this.#allAt > since) return false
    if (this.#count === since) return true
    for (const [table, { at, by, beforeAt }] of this.#last)
      if ((by === reads ? beforeAt : at) > since && reads.mention(table)) return false
    return true
  }
}

/** The last write of a table, by whose work, and the last one that was not by the same. */
type Write = { readonly at: number; readonly by: Reads | undefined; readonly beforeAt: number }

const recording = new AsyncLocalStorage<Reads>()

/** Every word of every statement that some work has sent: among them are all tables it depends on. */
export class Reads {
  readonly #statements = new Set<string>()
  readonly #words: Set<string>
  readonly #ignored: ReadonlySet<string>

  /** @param given - `more`: tables it depends on in other ways; `ignored`: those it reads and does not depend on. */
  constructor(given: { more?: readonly string[] | undefined; ignored?: readonly string[] | undefined } = {}) {
    this.#words = new Set(given.more)
    this.#ignored = new Set(given.ignored)
  }

  /** Records what `work` reads, and what it leaves under way. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return recording.run(this, work)
  }

  /** Whether a table is among what it depends on. */
  mention(table: string): boolean {
    return this.#words.has(table) && !this.#ignored.has(table)
  }

  add({ name, text }: { name: string; text: string }): void {
    if (this.#statements.has(name)) return
    if (name) this.#statements.add(name)
    for (const [word] of text.matchAll(/\w+/g)) this.#words.add(word)
  }
}

/** Takes note of a statement for whoever records. */
export function recordRead(statement: { name: string; text: string }): void {
  recording.getStore()?.add(statement)
}

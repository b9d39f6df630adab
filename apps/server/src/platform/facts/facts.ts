import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { ChangeKind, Changes } from './changes.ts'

/** The longest that a change may stay unnoticed where its notification is lost: a revoked key ends within a second. */
const maxAgeMs = 800
/** What is asked for from this age on is read anew beside whoever asks. */
const renewAfterMs = 500
const maxBytes = 8 * 1024 * 1024

/** What facts are kept by. */
export type FactNeeds = { readonly clock: Clock; readonly changes: Changes }

type Kept<T> = { readonly value: T; readonly at: number; isBeingRenewed: boolean }

/**
 * What was read from the database a moment ago, for what nearly every request asks and nearly nobody changes.
 *
 * A change of the rows it was read from drops it: at once in the process that made it, and in the others when they
 * are notified. What no notification came for is gone when it is 800 ms old, counted from before it was read. What is
 * asked for all the time is read anew before that: else all who ask would wait for it at the same moment, and again each 800 ms.
 */
export class Facts<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<Kept<T>>(maxBytes, ({ value }) => weigh(value))
  /** What is being read at this moment, for those who ask for the same. */
  readonly #reading = new Map<string, { found: Promise<T | undefined>; at: number; generation: number }>()
  /** What is read beside whoever asks has nothing of his transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** Counts the changes: what was read across one is used once and not kept. */
  #generation = 0

  /** @param kinds - Which rows it is read from. */
  constructor({ clock, changes }: FactNeeds, kinds: readonly ChangeKind[]) {
    this.#clock = clock
    changes.listen((kind) => {
      if (!kinds.includes(kind)) return
      this.#generation++
      this.#kept.clear()
    })
  }

  /** What is known under a key, if anything is. */
  peek(key: string): T | undefined {
    const known = this.#kept.peek(key)
    return known && this.#isYoung(known.at, maxAgeMs) ? known.value : undefined
  }

  /** What is known under a key, else what `read` finds, which then is; nothing is kept of what it does not find. */
  async get<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<Found | T> {
    const known = this.peek(key)
    if (known) {
      this.renew(key, read)
      return known
    }
    const reading = this.#reading.get(key)
    const isShared = reading?.generation === this.#generation && this.#isYoung(reading.at, maxAgeMs)
    const found = isShared ? await readByOthers(reading.found) : undefined
    return found ?? this.#read(key, read)
  }

  /** Has what is known and will soon be too old read anew, while it is still what is known. */
  renew(key: string, read: () => Promise<T | undefined>): void {
    const old = this.#kept.peek(key)
    if (!old || old.isBeingRenewed || this.#isYoung(old.at, renewAfterMs)) return
    old.isBeingRenewed = true
    const drop = () => {
      if (this.#kept.peek(key) === old) this.#kept.delete(key)
    }
    this.#outside(() => this.#read(key, read)).then(
      (found) => {
        if (found === undefined) drop()
      },
      // Whoever asks next meets the reason. Away, the database says nothing against what it said before.
      (error: unknown) => {
        if (!(error instanceof Outage)) drop()
      },
    )
  }

  /** Keeps what is so from now on, whatever was changed before. */
  set(key: string, value: T): void {
    this.#kept.set(key, { value, at: this.#clock.now(), isBeingRenewed: false })
  }

  async #read<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<Found> {
    const at = this.#clock.now()
    const generation = this.#generation
    const reading = { found: read(), at, generation }
    this.#reading.set(key, reading)
    try {
      const found = await reading.found
      if (found !== undefined && generation === this.#generation)
        this.#kept.set(key, { value: found, at, isBeingRenewed: false })
      return found
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key)
    }
  }

  /** A clock that was put back makes what was read before old. */
  #isYoung(at: number, ageMs: number): boolean {
    const now = this.#clock.now()
    return now >= at && now - at < ageMs
  }
}

/** What is found for somebody else. Nothing where there is nothing, or it is refused: that may be otherwise since. */
async function readByOthers<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Outage) throw error
    return undefined
  }
}

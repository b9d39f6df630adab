import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Cancel, Clock } from '../kernel/clock.ts'
import { Outage } from '../kernel/outage.ts'
import type { Log } from '../platform/log.ts'

/** How far this machine's clock may be from the chain's while new quotes are made. */
export const maxSkewMs = 60_000
/** A block is new where the look before it was not longer ago: then its time is about the time of now. */
const freshMs = 10_000

/** What a look at the chain says of the time. */
type Seen = { readonly number: bigint; readonly at: UnixMs }

/**
 * The time by which quotes begin and end: the chain's, which decides what comes late. This machine's clock only
 * carries it on between two blocks, and is checked against them.
 *
 * A clock that is behind shows at once: there are blocks from the future. One that is ahead shows only when a block
 * comes while it is looked for: a chain on which nothing happens, as a local one, may make none for hours, and an old
 * block says nothing then.
 */
export class ChainTime implements Clock {
  readonly #clock: Clock
  readonly #log: Log
  #newest: Seen | undefined
  #lookedAt: UnixMs | undefined
  /** How far behind the clock the last new block was, and what the clock said then. */
  #lag: { readonly ms: number; readonly at: UnixMs } | undefined
  #isOff = false

  constructor(needs: { clock: Clock; log: Log }) {
    this.#clock = needs.clock
    this.#log = needs.log
  }

  /** Takes in the newest block, each time it is looked at. */
  note({ number, at }: Seen): void {
    const now = this.#clock.now()
    const isWatched = this.#lookedAt !== undefined && now >= this.#lookedAt && now - this.#lookedAt <= freshMs
    if (isWatched && this.#newest && number > this.#newest.number) this.#lag = { ms: now - at, at: now }
    this.#newest = { number, at }
    this.#lookedAt = now
    const isOff = this.isOff
    if (isOff && !this.#isOff)
      this.#log.error({ alert: 'clock-differs', behindChainMs: this.behindMs }, differs)
    if (!isOff && this.#isOff) this.#log.info('the clock and the chain agree again')
    this.#isOff = isOff
  }

  now(): UnixMs {
    const now = this.#clock.now()
    const behindMs = this.behindMs ?? 0
    // A little lag is the time a block takes to get here.
    return behindMs > 0 || behindMs < -maxSkewMs ? ((now + behindMs) as UnixMs) : now
  }

  after(delayMs: number, job: () => void): Cancel {
    return this.#clock.after(delayMs, job)
  }

  /** By how much this machine's clock is behind the chain, below zero where it is ahead; `undefined` before a look. */
  get behindMs(): number | undefined {
    if (!this.#newest) return undefined
    const now = this.#clock.now()
    if (this.#newest.at > now) return this.#newest.at - now
    // A clock that was set back since says nothing of how far it was ahead.
    return this.#lag && this.#lag.at <= now && this.#lag.ms > 0 ? -this.#lag.ms : 0
  }

  /** Whether the two differ so far that nobody can say how long a new quote would hold. */
  get isOff(): boolean {
    return Math.abs(this.behindMs ?? 0) > maxSkewMs
  }

  /** @throws {ChainUnavailable} while the clocks differ. */
  refuseIfOff(): void {
    if (this.isOff)
      throw new ChainUnavailable(`${differs}; no payment attempts can be opened until they agree`)
  }
}

const differs = "This service's clock differs from the chain's by more than a minute"

/** The chain cannot be reached, or what it says cannot be relied on. */
export class ChainUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('chain', message, options)
  }
}

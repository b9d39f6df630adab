import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Cancel, Clock } from '../kernel/clock.ts'
import { Outage } from '../kernel/outage.ts'
import type { Log } from '../platform/log.ts'

/** Maximum difference between this machine's clock and the chain's while new quotes are made. */
export const maxSkewMs = 60_000
/**
 * Maximum age of the previous poll for a block to count as new: the block's time is then close to the current
 * time.
 */
const freshMs = 10_000

type Seen = { readonly number: bigint; readonly at: UnixMs }

/**
 * Clock for quote deadlines: chain time, advanced between blocks by this machine's clock.
 *
 * A slow clock is detected at once, because blocks seem to come from the future. A fast clock is detected
 * only when a new block appears between two polls in quick succession. An old block proves nothing: an idle
 * chain may produce none for hours.
 */
export class ChainTime implements Clock {
  readonly #clock: Clock
  readonly #log: Log
  #newest: Seen | undefined
  #lookedAt: UnixMs | undefined
  /**
   * Milliseconds by which the last new block lagged behind the clock, and the clock's time at that moment.
   */
  #lag: { readonly ms: number; readonly at: UnixMs } | undefined
  #isOff = false

  constructor(needs: { clock: Clock; log: Log }) {
    this.#clock = needs.clock
    this.#log = needs.log
  }

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
    // A small lag is the propagation delay of a block.
    return behindMs > 0 || behindMs < -maxSkewMs ? ((now + behindMs) as UnixMs) : now
  }

  after(delayMs: number, job: () => void): Cancel {
    return this.#clock.after(delayMs, job)
  }

  /**
   * Milliseconds by which this machine's clock is behind the chain: negative if it is ahead, `undefined`
   * before the first poll.
   */
  get behindMs(): number | undefined {
    if (!this.#newest) return undefined
    const now = this.#clock.now()
    if (this.#newest.at > now) return this.#newest.at - now
    // A lead measured before the clock was set back proves nothing.
    return this.#lag && this.#lag.at <= now && this.#lag.ms > 0 ? -this.#lag.ms : 0
  }

  /** Whether the clocks differ too far to guarantee the lifetime of a new quote. */
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

/** The chain is unreachable, or its responses are unreliable. */
export class ChainUnavailable extends Outage {
  /** @param message - Appears in API responses. */
  constructor(message: string, options?: ErrorOptions) {
    super('chain', message, options)
  }
}

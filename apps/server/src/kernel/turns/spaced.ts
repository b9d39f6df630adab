import type { Cancel, Clock } from '../clock.ts'

/**
 * Something that is said at once where it was not said lately, and otherwise when its time has come, once for all who have
 * said it meanwhile: however often it is said, it costs so much a second at most.
 */
export class Spaced {
  readonly #clock: Clock
  readonly #gapMs: number
  readonly #send: () => Promise<unknown>
  #isOwed = false
  #cancel: Cancel | undefined

  constructor(clock: Clock, gapMs: number, send: () => Promise<unknown>) {
    this.#clock = clock
    this.#gapMs = gapMs
    this.#send = send
  }

  /** Fails where it was said at once and could not be; what is said later fails unheard. */
  async say(): Promise<void> {
    if (this.#cancel) this.#isOwed = true
    else {
      this.#wait()
      await this.#send()
    }
  }

  /** Says what is left to be said, now. */
  async close(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#isOwed) await this.#sendOwed()
  }

  #wait(): void {
    this.#cancel = this.#clock.after(this.#gapMs, () => {
      this.#cancel = undefined
      if (!this.#isOwed) return
      this.#wait()
      void this.#sendOwed()
    })
  }

  async #sendOwed(): Promise<void> {
    this.#isOwed = false
    await this.#send().catch(() => {})
  }
}

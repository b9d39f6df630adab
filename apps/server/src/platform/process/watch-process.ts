import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { isRunning, type ProcessIdentity } from './process.ts'

const lookEveryMs = 500

export class WatchedProcess {
  readonly #log: Log
  readonly #name: string
  readonly #startAgain: (leaving: AbortSignal) => Promise<ProcessIdentity>
  readonly #leaving = new AbortController()
  readonly #watching: Promise<void>
  #identity: ProcessIdentity

  constructor(
    needs: { log: Log },
    name: string,
    identity: ProcessIdentity,
    startAgain: (leaving: AbortSignal) => Promise<ProcessIdentity>,
  ) {
    this.#log = needs.log
    this.#name = name
    this.#identity = identity
    this.#startAgain = startAgain
    this.#watching = this.#watch()
  }

  get identity(): ProcessIdentity {
    return this.#identity
  }

  /** Stops watching, aborts a restart in progress and returns the process, so that the caller can stop it. */
  async leave(): Promise<ProcessIdentity> {
    this.#leaving.abort()
    await this.#watching
    return this.#identity
  }

  async #watch(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      await pause(lookEveryMs, undefined, { ref: false, signal }).catch(() => {})
      if (signal.aborted || isRunning(this.#identity)) continue
      this.#log.error({ pid: this.#identity.pid }, `${this.#name} stopped unexpectedly and is restarting`)
      try {
        this.#identity = await this.#startAgain(signal)
        this.#log.warn({ pid: this.#identity.pid }, `${this.#name} is running again`)
      } catch (error) {
        if (signal.aborted) return
        this.#log.error({ err: error }, `${this.#name} could not be restarted; retrying`)
      }
    }
  }
}

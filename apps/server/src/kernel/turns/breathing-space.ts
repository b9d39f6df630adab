/** After work that took so long, the next one waits three times as long, up to this. */
const longestPauseMs = 300
const pausePerWork = 3

/**
 * How soon work that looks for more may be done again. Where a look takes its time and is asked for again and again, it
 * would take all of it, and each would find less. One that is short keeps nobody waiting.
 *
 * The time is the process's own: it is what others take that counts, and no clock that can be set.
 */
export class BreathingSpace {
  readonly #readMs: () => number
  #tookMs = 0
  #endedAt = 0

  /** @param readMs - A time that only goes forward. */
  constructor(readMs: () => number = () => performance.now()) {
    this.#readMs = readMs
  }

  /** Waits until the next look may begin, or the signal is aborted. */
  async begin(signal: AbortSignal): Promise<void> {
    const leftMs = this.leftMs()
    if (leftMs > 0) await pause(leftMs, signal)
    this.#tookMs = 0
  }

  /** Does a part of the look. */
  async take<T>(part: () => Promise<T>): Promise<T> {
    const begunAt = this.#readMs()
    try {
      return await part()
    } finally {
      this.#endedAt = this.#readMs()
      this.#tookMs += this.#endedAt - begunAt
    }
  }

  /** How long the next one is to wait. */
  leftMs(): number {
    const pauseMs = Math.min(longestPauseMs, pausePerWork * this.#tookMs)
    return Math.max(0, pauseMs - (this.#readMs() - this.#endedAt))
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

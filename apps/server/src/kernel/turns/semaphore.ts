/** Semaphore: runs a limited number of tasks at once, in order of arrival. */
export class Semaphore {
  readonly #atOnce: number
  readonly #waiting: (() => void)[] = []
  #runningCount = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#runningCount >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#runningCount++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#runningCount--
    }
  }
}

/** Yields to the event loop, so that long work does not block the process. */
export function nextTurn(): Promise<void> {
  // biome-ignore lint/style/noRestrictedGlobals: a turn of the event loop takes no time of any clock
  return new Promise((resolve) => setImmediate(resolve))
}

const atOnce = 2

/** Work that is done two at a time, in the order it came, whoever asks for it. */
export class SlowLane {
  readonly #waiting: (() => void)[] = []
  #runningCount = 0

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#runningCount >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#runningCount++
    try {
      return await work()
    } finally {
      // Whoever is next takes the place over.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#runningCount--
    }
  }
}

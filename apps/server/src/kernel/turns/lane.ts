/** Work that is done a few at a time, in the order it came, whoever asks for it. */
export class Lane {
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
      // Whoever is next takes the place over.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#runningCount--
    }
  }
}

/** Lets everything else that waits have its turn: for long work that would hold up the process. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

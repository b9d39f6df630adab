type Waiter = { readonly begin: () => void }

/** How much is done at once, and how much may wait. */
export type SlotLimits = {
  readonly atOnce: number
  readonly atOnceEach: number
  readonly waiting: number
  readonly waitingEach: number
}

/**
 * A few places for work of many owners. Who waits is taken in turns between owners, so that one with a thousand pieces
 * of work holds up himself; who comes when the line is full is sent away at once.
 */
export class FairSlots {
  readonly #limits: SlotLimits
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #running = new Map<string, number>()
  #waitingCount = 0
  #runningCount = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** What the work gives, or `full`. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T | 'full'> {
    if (!this.#mayBegin(owner)) {
      const line = this.#waiting.get(owner) ?? []
      if (line.length >= this.#limits.waitingEach || this.#waitingCount >= this.#limits.waiting) return 'full'
      this.#waiting.set(owner, line)
      this.#waitingCount++
      await new Promise<void>((begin) => line.push({ begin }))
    } else {
      this.#enter(owner)
    }
    try {
      return await work()
    } finally {
      this.#leave(owner)
      this.#next()
    }
  }

  #mayBegin(owner: string): boolean {
    return (
      this.#runningCount < this.#limits.atOnce && (this.#running.get(owner) ?? 0) < this.#limits.atOnceEach
    )
  }

  #enter(owner: string): void {
    this.#runningCount++
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
  }

  #leave(owner: string): void {
    this.#runningCount--
    const left = (this.#running.get(owner) ?? 1) - 1
    if (left === 0) this.#running.delete(owner)
    else this.#running.set(owner, left)
  }

  #next(): void {
    for (const [owner, line] of this.#waiting) {
      if (!this.#mayBegin(owner)) continue
      const waiter = line.shift()
      this.#waitingCount--
      // To the end of the turns, or out of them.
      this.#waiting.delete(owner)
      if (line.length > 0) this.#waiting.set(owner, line)
      this.#enter(owner)
      waiter?.begin()
      return
    }
  }
}

type Waiter = { readonly begin: (response: 'begin' | 'gone') => void; readonly isGone: () => boolean }

export type SlotLimits = {
  readonly atOnce: number
  readonly atOnceEach: number
  readonly waiting: number
  readonly waitingEach: number
}

/**
 * Semaphore that starts the waiting tasks of different owners in rotation.
 *
 * An owner with a thousand tasks delays only its own tasks. A task that finds the queue full is rejected at
 * once.
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

  /**
   * Returns the result, `full` if too much work is waiting, or `gone` if the client left before the work
   * began.
   */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T | 'full'>
  async run<T>(owner: string, work: () => Promise<T>, isGone: () => boolean): Promise<T | 'full' | 'gone'>
  async run<T>(
    owner: string,
    work: () => Promise<T>,
    isGone: () => boolean = () => false,
  ): Promise<T | 'full' | 'gone'> {
    if (!this.#mayBegin(owner)) {
      const line = this.#waiting.get(owner) ?? []
      if (line.length >= this.#limits.waitingEach || this.#waitingCount >= this.#limits.waiting) return 'full'
      this.#waiting.set(owner, line)
      this.#waitingCount++
      const response = await new Promise<'begin' | 'gone'>((begin) => line.push({ begin, isGone }))
      if (response === 'gone') return 'gone'
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
      const waiter = this.#shift(line)
      this.#waiting.delete(owner)
      if (line.length > 0) this.#waiting.set(owner, line)
      if (!waiter) continue
      this.#enter(owner)
      waiter.begin('begin')
      return
    }
  }

  #shift(line: Waiter[]): Waiter | undefined {
    for (let waiter = line.shift(); waiter; waiter = line.shift()) {
      this.#waitingCount--
      if (!waiter.isGone()) return waiter
      waiter.begin('gone')
    }
    return undefined
  }
}

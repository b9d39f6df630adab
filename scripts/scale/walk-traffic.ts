import { setTimeout as sleep } from 'node:timers/promises'
import type { WalkService } from './walk-service.ts'

/** The longest that nobody may create a receipt. */
const longestPauseMs = 60_000
const sides = 4
const retryAfterMs = 50
const requestLimitMs = 10_000

/** Shops that create receipts one after the other, and each again until it is answered. */
export class WalkTraffic {
  /** What the service said was created. */
  readonly #created: string[] = []
  #service: WalkService | undefined
  #isEnding = false
  #lastAt = performance.now()
  #pauseMs = 0
  #shops: Promise<void>[] = []

  /** How many receipts were created. */
  get count(): number {
    return this.#created.length
  }

  /** Has all of them begin. */
  begin(service: WalkService): void {
    this.#service = service
    this.#lastAt = performance.now()
    this.#shops = Array.from({ length: sides }, (_, shop) => this.#sell(shop))
  }

  /** The service has another address from now on. */
  goOn(service: WalkService): void {
    this.#service = service
  }

  /** Waits until so many were created. */
  async until(count: number): Promise<void> {
    while (this.count < count) await sleep(retryAfterMs)
  }

  /** Waits for what is under way. */
  async end(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#shops)
  }

  /** Receipts that are lost, and a pause that was too long. */
  async findFaults({ baseUrl, headers }: WalkService): Promise<string[]> {
    const faults: string[] = []
    for (const id of this.#created) {
      const { status } = await fetch(`${baseUrl}/api/receipts/${id}`, { headers })
      if (status !== 200) faults.push(`the receipt ${id} was created, and is answered with ${status}`)
    }
    const seconds = (this.#pauseMs / 1_000).toFixed(1)
    console.log(
      `walk: ${this.count} receipts created, ${faults.length} lost, none created for ${seconds} s at most`,
    )
    if (this.#pauseMs > longestPauseMs) faults.push(`nobody could create a receipt for ${seconds} s`)
    return faults
  }

  async #sell(shop: number): Promise<void> {
    for (let number = 1; !this.#isEnding; number++) {
      const id = `walk-${shop}-${number}`
      while (!(await this.#create(id))) {
        if (this.#isEnding) return
        await sleep(retryAfterMs)
      }
      const now = performance.now()
      this.#pauseMs = Math.max(this.#pauseMs, now - this.#lastAt)
      this.#lastAt = now
      this.#created.push(id)
    }
  }

  async #create(id: string): Promise<boolean> {
    if (!this.#service) return false
    const { baseUrl, headers } = this.#service
    const body = JSON.stringify({ id, lineItems: [{ label: 'Beans', amount: 38 }] })
    const signal = AbortSignal.timeout(requestLimitMs)
    try {
      const answer = await fetch(`${baseUrl}/api/receipts`, { method: 'POST', headers, body, signal })
      await answer.arrayBuffer()
      return answer.status === 201
    } catch {
      return false
    }
  }
}

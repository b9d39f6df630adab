import { type Random, randomFraction } from '../../src/kernel/random.ts'
import { seededRandom } from '../support/test-random.ts'

/** Choices from a seed. Two draws with different names do not influence each other. */
export class Draw {
  readonly #random: Random

  constructor(name: string) {
    this.#random = seededRandom(name)
  }

  fraction(): number {
    return randomFraction(this.#random)
  }

  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  isIn(share: number): boolean {
    return this.fraction() < share
  }

  /** @param items - At least one. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  weighted<Kind extends string>(weights: Readonly<Record<Kind, number>>): Kind {
    const kinds = Object.keys(weights) as Kind[]
    let left = this.fraction() * kinds.reduce((sum, kind) => sum + weights[kind], 0)
    for (const kind of kinds) {
      left -= weights[kind]
      if (left < 0) return kind
    }
    return kinds.at(-1) as Kind
  }
}

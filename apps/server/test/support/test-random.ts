import { createHash, randomInt } from 'node:crypto'
import fc from 'fast-check'
import { type Random, randomFraction } from '../../src/kernel/random.ts'

/** Returns a generator whose bytes depend only on the seed: SHA-256 over seed and counter. */
export function seededRandom(seed: string | number): Random {
  let counter = 0
  let pool = Buffer.alloc(0)
  return {
    bytes(byteCount) {
      while (pool.length < byteCount) {
        const block = createHash('sha256').update(`${seed}:${counter++}`).digest()
        pool = Buffer.concat([pool, block])
      }
      const bytes = new Uint8Array(pool.subarray(0, byteCount))
      pool = pool.subarray(byteCount)
      return bytes
    },
  }
}

/** Returns the seed of a file's random samples: `TEST_SEED`, or a random number if it is not set. */
export function testSeed(): number {
  return Number(process.env.TEST_SEED) || randomInt(1, 1_000_000_000)
}

export function drawSample<T>(seed: string, items: readonly T[], count: number): T[] {
  const random = seededRandom(seed)
  let missing = count
  return items.filter((_, i) => {
    const isDrawn = randomFraction(random) * (items.length - i) < missing
    if (isDrawn) missing--
    return isDrawn
  })
}

export function forAll<Values extends [unknown, ...unknown[]]>(
  ...property: [
    ...arbitraries: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
    // biome-ignore lint/suspicious/noConfusingVoidType: fast-check has the same type
    check: (...values: Values) => boolean | void,
  ]
): void {
  fc.assert(fc.property(...property))
}

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Random } from '../../src/kernel/random.ts'

/** Random bytes that are equal in every run with the same seed: SHA-256 over seed and counter. */
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

/** Checks a property for all values of the arbitraries, which come first. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  ...property: [
    ...arbitraries: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
    // biome-ignore lint/suspicious/noConfusingVoidType: as fast-check has it
    check: (...values: Values) => boolean | void,
  ]
): void {
  fc.assert(fc.property(...property))
}

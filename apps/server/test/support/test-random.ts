import { createHash } from 'node:crypto'
import type { Random } from '../../src/kernel/random.ts'

/** Chance that is the same in every run with the same seed: SHA-256 over seed and counter. */
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

import { randomBytes } from 'node:crypto'

/** The only source of chance: keys, references, ids, jitter. A simulation gives a seeded one. */
export interface Random {
  /** `byteCount` bytes fit for secrets. */
  bytes(byteCount: number): Uint8Array
}

/** What is drawn of the machine's generator at a time: each draw costs more than the few bytes of an id. */
const poolBytes = 4_096
/** What is longer is drawn by itself. */
const maxPooled = 64

/** The machine's cryptographic generator. What was given is kept nowhere else. */
export const systemRandom: Random = makePooledRandom((byteCount) => randomBytes(byteCount))

/** Bytes of `draw`, which is asked for many at a time; none is given twice. */
export function makePooledRandom(draw: (byteCount: number) => Uint8Array): Random {
  let pool: Uint8Array = new Uint8Array(0)
  let used = 0
  return {
    bytes(byteCount) {
      if (byteCount > maxPooled) return draw(byteCount)
      if (used + byteCount > pool.length) {
        pool = draw(poolBytes)
        used = 0
      }
      // A copy: `slice` of a `Buffer` is a view.
      const bytes = new Uint8Array(pool.subarray(used, used + byteCount))
      pool.fill(0, used, used + byteCount)
      used += byteCount
      return bytes
    },
  }
}

/** A UUID version 4 made from `random`. */
export function randomUuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** An even fraction in [0, 1), 32 bits fine: for jitter, never for secrets. */
export function randomFraction(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32BE(0) / 2 ** 32
}

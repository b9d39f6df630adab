import { randomBytes } from 'node:crypto'

/** The only source of randomness. A simulation passes a seeded one. */
export interface Random {
  /** Returns `byteCount` bytes that are suitable for secrets. */
  bytes(byteCount: number): Uint8Array
}

/** Cryptographically secure randomness of the operating system. */
export const systemRandom: Random = { bytes: (byteCount) => new Uint8Array(randomBytes(byteCount)) }

/** Returns a random UUID (version 4). */
export function randomUuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns a uniform fraction in [0, 1) with 32 bits: for jitter, never for secrets. */
export function randomFraction(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32BE(0) / 2 ** 32
}

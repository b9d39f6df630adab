import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Random } from './random.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a ULID: 48 bits of time and 80 random bits, in 26 Crockford base32 characters.
 *
 * Ids of the same millisecond are not ordered.
 */
export function generateId(now: UnixMs, random: Random): string {
  let id = ''
  for (let rest: number = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) id = alphabet[rest % 32] + id
  return id + base32(random.bytes(10))
}

/** Returns the time encoded in an id of {@link generateId}. */
export function timeOfId(id: string): UnixMs {
  let time = 0
  for (const sign of id.slice(0, 10)) time = time * 32 + alphabet.indexOf(sign)
  return time as UnixMs
}

/** Returns `R-` and 26 Crockford base32 characters (130 random bits). */
export function makeReceiptId(random: Random): string {
  return `R-${base32(random.bytes(17)).slice(0, 26)}`
}

/** Returns the id of an unmatched payment: `C-` and 26 Crockford base32 characters (130 random bits). */
export function makeCaseId(random: Random): string {
  return `C-${base32(random.bytes(17)).slice(0, 26)}`
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let bitCount = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (bitCount += 8; bitCount >= 5; bitCount -= 5) text += alphabet[(bits >> (bitCount - 5)) & 31]
    bits &= (1 << bitCount) - 1
  }
  return text
}

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { Random } from '../../kernel/random.ts'

/** `live` keys move real money; every network that moves none is `test`. */
export type Mode = 'live' | 'test'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^sk_(live|test)_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/

/** A new key: `sk_live_` or `sk_test_`, 43 base62 signs (256 random bits) and a checksum of 6. */
export function makeApiKey(mode: Mode, random: Random): string {
  const body = `sk_${mode}_${base62(BigInt(`0x${Buffer.from(random.bytes(32)).toString('hex')}`), 43)}`
  return body + checksum(body)
}

/** Whether `text` has the form of a key and its checksum holds: a mistyped key needs no look-up. */
export function isApiKey(text: string): boolean {
  const match = form.exec(text)
  return match !== null && checksum(text.slice(0, -6)) === match[2]
}

/** What a key is looked up by; the key itself is kept sealed. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** What may be shown of a key later: its beginning and its last four signs. */
export function hintOfApiKey(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`
}

/** Keys of one deployment are of one mode, which its network decides. */
export function modeOfChain(chainId: number): Mode {
  return findNetwork(chainId)?.use === 'live' ? 'live' : 'test'
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), 6)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
  return text
}

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { Random } from '../../kernel/random.ts'

/** `live` keys move real money. Networks without real money use `test`. */
export type Mode = 'live' | 'test'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^sk_(live|test)_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/

/**
 * Creates a key: `sk_live_` or `sk_test_`, 43 base62 characters (256 random bits) and a 6-character checksum.
 *
 * See docs/contract.md#keys-and-scopes.
 */
export function makeApiKey(mode: Mode, random: Random): string {
  const body = `sk_${mode}_${base62(BigInt(`0x${Buffer.from(random.bytes(32)).toString('hex')}`), 43)}`
  return body + checksum(body)
}

/** Checks the form and the checksum of a key, so that a mistyped key needs no lookup. */
export function isApiKey(text: string): boolean {
  const match = form.exec(text)
  return match !== null && checksum(text.slice(0, -6)) === match[2]
}

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Returns the displayable part of a key: its beginning and its last four characters. */
export function hintOfApiKey(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`
}

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

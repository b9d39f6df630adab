import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain.ts'
import { EndpointUnavailable } from './rpc.ts'

/** A whole number as JSON-RPC writes it: hex, at most 256 bits. */
export function readQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed('a quantity')
  return BigInt(value)
}

/** A small number, as counts within a block are: exact. */
export function readCount(value: unknown): number {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed('a number')
  const count = Number(value)
  if (!Number.isSafeInteger(count)) throw malformed('a number')
  return count
}

/** Bytes of any length. */
export function readBytes(value: unknown): Hex {
  if (typeof value !== 'string' || value.length % 2 !== 0) throw malformed('bytes')
  // Most nodes write lower case: then the text is there already.
  if (/^0x[0-9a-f]*$/.test(value)) return value as Hex
  if (!/^0x[0-9a-fA-F]*$/.test(value)) throw malformed('bytes')
  return value.toLowerCase() as Hex
}

/** Thirty-two bytes. */
export function readHash(value: unknown): Hex {
  if (typeof value !== 'string') throw malformed('a hash')
  if (/^0x[0-9a-f]{64}$/.test(value)) return value as Hex
  if (!/^0x[0-9a-fA-F]{64}$/.test(value)) throw malformed('a hash')
  return value.toLowerCase() as Hex
}

/** Twenty bytes, in any case. */
export function readAddress(value: unknown): Wallet {
  const wallet = parseWallet(value)
  if (!wallet) throw malformed('an address')
  return wallet
}

/** That something has not the form it must have. */
export function malformed(what: string): EndpointUnavailable {
  return new EndpointUnavailable('malformed', `${what} does not have the expected form`)
}

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, encodeAbiParameters, getContractAddress, keccak256 } from 'viem'
import type { Hex } from '../../chain/chain.ts'

export const numbersPerSecond = 256n

/**
 * Maximum amount by which numbers may run ahead of the clock. A larger lead means that the clock was set
 * back.
 */
const furthestAhead = 60n * numbersPerSecond

export function firstNumberOf(at: UnixMs): bigint {
  return BigInt(Math.floor(at / 1_000)) * numbersPerSecond
}

/**
 * Derives attempt references from the recovery seed, the split and a number.
 *
 * A number combines the second of its creation with a counter. Numbers can therefore be recovered from the
 * seed and an approximate time, without the database. A restored backup never reuses numbers. The chain is
 * not an input: an attempt has the same address on every chain.
 *
 * See docs/contract.md#attempts.
 */
export class DepositReferences {
  readonly #seed: KeyObject
  #last = 0n

  constructor(seed: Uint8Array) {
    this.#seed = createSecretKey(seed)
  }

  /**
   * Returns a number that this object has not returned before. Another process may use the same number; the
   * insert detects that conflict.
   */
  next(now: UnixMs): bigint {
    const first = firstNumberOf(now)
    const isNewSecond = this.#last < first || this.#last > first + furthestAhead
    this.#last = isNewSecond ? first : this.#last + 1n
    return this.#last
  }

  at(split: Wallet, number: bigint): Hex {
    const text = `deposit reference\n${split.toLowerCase()}\n${number}`
    return `0x${createHmac('sha256', this.#seed).update(text).digest('hex')}`
  }
}

/** Computes the CREATE2 address that `SplitFactory.depositAddress` returns, without a call to the chain. */
export function depositAddress(factory: Wallet, split: Wallet, reference: Hex): Wallet {
  const salt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [split, reference]))
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: depositCreationCode(factory),
  }) as Wallet
}

/**
 * Mirrors `depositInitCode` in contracts/src/CloneLib.sol: keeps the native coin and delegates all other
 * calls.
 */
function depositCreationCode(factory: Wallet): Hex {
  // The factory's constructor creates the deposit implementation as its second contract.
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 2n })
  return concatHex([
    '0x602a8060093d393df3',
    '0x36600557005b',
    '0x365f5f37',
    '0x5f5f365f73',
    implementation,
    '0x5af4',
    '0x5f52595ff3',
  ])
}

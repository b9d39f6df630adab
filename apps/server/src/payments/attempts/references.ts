import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, encodeAbiParameters, getContractAddress, keccak256 } from 'viem'
import type { Hex } from '../../chain/chain.ts'

/** So many numbers begin with each second: more attempts than a service opens in one. */
export const numbersPerSecond = 256n

/** How far numbers may run ahead of the time: further ahead, the clock was set back. */
const furthestAhead = 60n * numbersPerSecond

/** The first number of a second. */
export function firstNumberOf(at: UnixMs): bigint {
  return BigInt(Math.floor(at / 1_000)) * numbersPerSecond
}

/**
 * The references of attempts, which follow from the recovery seed, the split and a number.
 *
 * A number is the second it is handed out in and a count within that second. So it can be found again without the
 * database by whoever knows the seed and about when it was, and a copy of an older database goes on with numbers that
 * the lost time did not have. No chain is part of it: a bill has the same address on all of them.
 */
export class DepositReferences {
  readonly #seed: KeyObject
  #last = 0n

  constructor(seed: Uint8Array) {
    this.#seed = createSecretKey(seed)
  }

  /** A number that this object never gave. Another process may have it: the database tells. */
  next(now: UnixMs): bigint {
    const first = firstNumberOf(now)
    const isNewSecond = this.#last < first || this.#last > first + furthestAhead
    this.#last = isNewSecond ? first : this.#last + 1n
    return this.#last
  }

  /** The reference with a number of a split: 32 bytes that nobody guesses. */
  at(split: Wallet, number: bigint): Hex {
    const text = `deposit reference\n${split.toLowerCase()}\n${number}`
    return `0x${createHmac('sha256', this.#seed).update(text).digest('hex')}`
  }
}

/**
 * Where a buyer may send anything that is to reach `split` under `reference`, known before anything stands
 * there. The same arithmetic as `SplitFactory.depositAddress`, without asking the chain.
 */
export function depositAddress(factory: Wallet, split: Wallet, reference: Hex): Wallet {
  const salt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [split, reference]))
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: depositCreationCode(factory),
  }) as Wallet
}

/** contracts/src/CloneLib.sol, `depositInitCode`: keeps plain coin, delegates everything else. */
function depositCreationCode(factory: Wallet): Hex {
  // The factory's constructor makes the deposits' implementation second.
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

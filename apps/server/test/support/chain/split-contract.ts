import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import type { Hex } from '../../../src/chain/chain.ts'
import { entitlement, type Recipient } from '../../../src/split/split.ts'
import type { Place, SplitEvent } from '../../../src/split/split-event.ts'

export const recipients: readonly Recipient[] = [4_000, 3_333, 2_617, 50].map((sharesBps, i) => ({
  address: `0x${String(i + 1).padStart(40, '0')}` as Wallet,
  sharesBps: sharesBps as Bps,
}))

let count = 0
const place = (): Place => {
  const hash = `0x${(++count).toString(16).padStart(64, '0')}` as Hex
  const block = { blockNumber: BigInt(count), blockHash: hash, at: count as UnixMs }
  return { ...block, transactionHash: hash, logIndex: 0 }
}
export const arrived = (amount: bigint): SplitEvent => {
  const unknown = { reference: undefined, deposit: undefined }
  return { kind: 'arrived', how: 'plain', amount, ...unknown, place: place() }
}
export const distributed = (total: bigint, isUnitKept = false): SplitEvent => {
  return { kind: 'distributed', total, isUnitKept, place: place() }
}
/** Returns the event of an amount that a distribution could not push to its recipient. */
export const held = (account: Wallet, amount: bigint): SplitEvent => {
  return { kind: 'held', account, amount, place: place() }
}
/** Returns the event of an amount that an account released directly. */
export const released = (account: Wallet, amount: bigint): SplitEvent => {
  return { kind: 'released', account, amount, place: place() }
}

export type Step =
  | { kind: 'arrive'; amount: bigint }
  | { kind: 'distribute'; failing: number[] }
  | { kind: 'release'; who: number }

export function step(): fc.Arbitrary<Step> {
  return fc.oneof(
    fc.record({ kind: fc.constant('arrive' as const), amount: fc.bigInt({ min: 1n, max: 10n ** 12n }) }),
    fc.record({
      kind: fc.constant('arrive' as const),
      amount: fc.bigInt({ min: 1n, max: 10n ** 8n }).map((units) => units * 10_000n),
    }),
    fc.record({
      kind: fc.constant('distribute' as const),
      failing: fc.uniqueArray(fc.nat(recipients.length - 1), { maxLength: 2 }),
    }),
    fc.record({ kind: fc.constant('release' as const), who: fc.nat(recipients.length - 1) }),
  )
}

/**
 * A model of the contract by its definition: a recipient's due is its share of everything received, minus its
 * releases.
 */
export class SplitContract {
  received = 0n
  level = 0n
  readonly released = new Map<Wallet, bigint>()
  readonly held = new Map<Wallet, bigint>()
  #wasKept = false
  readonly #keeps: boolean

  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  keptOf(address: Wallet): bigint {
    return this.#wasKept && address === recipients.at(-1)?.address ? 1n : 0n
  }

  run(each: Step): SplitEvent[] {
    if (each.kind === 'arrive') {
      this.received += each.amount
      return [arrived(each.amount)]
    }
    if (each.kind === 'release') {
      const recipient = recipients[each.who] as Recipient
      const due = this.#due(recipient)
      if (due === 0n) return []
      if (this.keptOf(recipient.address) === 1n) this.#wasKept = false
      this.#pay(recipient, due)
      return [released(recipient.address, due)]
    }
    if (this.received === this.level && this.held.size === 0) return []
    const failures: SplitEvent[] = []
    const lastDue = this.#due(recipients.at(-1) as Recipient)
    this.held.clear()
    for (const [i, recipient] of recipients.entries()) {
      const due = this.#due(recipient)
      if (due === 0n) continue
      if (each.failing.includes(i)) {
        this.held.set(recipient.address, due)
        failures.push(held(recipient.address, due))
      } else {
        this.#pay(recipient, due)
      }
    }
    this.level = this.received
    const last = recipients.at(-1) as Recipient
    const paid = this.released.get(last.address) ?? 0n
    const isUnitKept = this.#keeps && lastDue > 0n && paid > 0n && this.#sumReleased() === this.received
    if (isUnitKept) this.released.set(last.address, paid - 1n)
    this.#wasKept = isUnitKept || (this.#wasKept && this.held.has(last.address))
    return [...failures, distributed(this.received, isUnitKept)]
  }

  #sumReleased(): bigint {
    return [...this.released.values()].reduce((sum, units) => sum + units, 0n)
  }

  /** Returns whether a distribution would pay more than the amounts that an earlier one could not push. */
  distributable(): boolean {
    return recipients.some((recipient) => {
      const paid = this.released.get(recipient.address) ?? 0n
      const passed = entitlement(this.level, recipient)
      return entitlement(this.received, recipient) > (paid > passed ? paid : passed)
    })
  }

  #due(recipient: Recipient): bigint {
    return entitlement(this.received, recipient) - (this.released.get(recipient.address) ?? 0n)
  }

  #pay(recipient: Recipient, amount: bigint): void {
    this.released.set(recipient.address, (this.released.get(recipient.address) ?? 0n) + amount)
  }
}

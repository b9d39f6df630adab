import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Target } from '../attempts/targets.ts'

/** So many balances are one request: there is nothing to choose. */
export const targetsPerRequest = 500

/** Every address has its turn once in this many seconds of the chain's time. */
export const turnSeconds = 60

/** How long a buyer's word that something was sent has the address looked at with every block. */
const hintHoldsMs = 120_000

/** An open offer is looked at with every block from so long before its end until it has expired. */
export const lastLookMs = 10_000

/** What is known of the blocks since the last reading of balances. */
export type NativeSigns = {
  /** Times of the last block that was read before them, and of the last of them. */
  readonly from: UnixMs
  readonly to: UnixMs
  readonly now: UnixMs
  /** Addresses that the blocks speak of. */
  readonly touched: ReadonlySet<Wallet>
  /** Deposit addresses of open offers that are over with these blocks, or soon. */
  readonly ending: ReadonlySet<Wallet>
}

/**
 * Whose balance to read at the end of some blocks. Coin sent by a transaction of its own is known from the blocks;
 * this is for what a contract sent, which leaves no trace there.
 *
 * Few targets are all read. Of many: those the blocks name, those that end, so that nothing expires unread, those
 * whose buyer says that something was sent, and of the others those whose turn it is, so that each has one within
 * {@link turnSeconds}. Turns follow from address and block time alone: any number of processes read each address
 * once. Pure.
 */
export function chooseBalanceReads(targets: readonly Target[], signs: NativeSigns): readonly Target[] {
  if (targets.length <= targetsPerRequest) return targets
  let hinted = 0
  return targets.filter((target) => {
    const { depositAddress: deposit } = target
    if (signs.touched.has(deposit) || signs.ending.has(deposit) || isTurn(deposit, signs)) return true
    return isHinted(target, signs.now) && ++hinted <= targetsPerRequest
  })
}

function isTurn(deposit: Wallet, { from, to }: NativeSigns): boolean {
  const seconds = (to - from) / 1_000
  const turn = Number.parseInt(deposit.slice(-6), 16) % turnSeconds
  const wait = (turn - (Math.floor(from / 1_000) % turnSeconds) + turnSeconds) % turnSeconds
  return (wait === 0 ? turnSeconds : wait) <= seconds
}

function isHinted({ hintedAt }: Target, now: UnixMs): boolean {
  return hintedAt !== undefined && now - hintedAt < hintHoldsMs
}

import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../chain/chain.ts'
import { type AskedAmount, readAmounts } from '../chain/read-amounts.ts'
import type { Movement } from './read-movements.ts'

/** One address of ours in one token. */
export type Account = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly token: Wallet
  readonly owner: Wallet
  readonly kind: 'deposit' | 'split'
  /** Whose deposit address it is; absent for splits. */
  readonly receiptId: string | undefined
  /** What it had received by this block was there before the service was. */
  readonly since: bigint
}

/** What the state of the chain says an account ever received, and holds now. */
export type Holding = { readonly held: bigint; readonly released: bigint }

const noRelease = { held: 0n, released: 0n }

/** What accounts hold, and what splits among them have released, as of a block. */
export async function readHoldings(
  chain: Chain,
  accounts: readonly Account[],
  at: bigint,
): Promise<Map<Account, Holding>> {
  const held = await readAmounts(chain, accounts, at)
  const splits = accounts.filter(({ kind }) => kind === 'split')
  const released = await readAmounts(chain, splits.map(releasedOf), at)
  const releasedBy = new Map(splits.map((account, i) => [account, released[i] ?? 0n]))
  return new Map(
    accounts.map((account, i) => [account, { held: held[i] ?? 0n, released: releasedBy.get(account) ?? 0n }]),
  )
}

/** What an account had ever received when a block was done, by the chain's state and the sweeps of it that are known. */
export async function readReceived(
  chain: Chain,
  account: Account,
  sweeps: readonly Movement[],
  at: bigint,
): Promise<bigint> {
  const holding = (await readHoldings(chain, [account], at)).get(account) ?? noRelease
  return receivedBy(holding, sweeps, at)
}

/** As {@link readReceived}, of what was read. */
export function receivedBy({ held, released }: Holding, sweeps: readonly Movement[], at: bigint): bigint {
  return held + released + sum(sweeps.filter(({ blockNumber }) => blockNumber <= at))
}

/** Sum of amounts. */
export function sum(all: readonly { readonly amount: bigint }[]): bigint {
  return all.reduce((total, { amount }) => total + amount, 0n)
}

function releasedOf({ owner, token }: Account): AskedAmount {
  // totalReleased() and totalReleased(address)
  const data: Hex =
    token === nativeAddress ? '0xe33b7de3' : `0xd79779b2${token.slice(2).toLowerCase().padStart(64, '0')}`
  return { to: owner, data }
}

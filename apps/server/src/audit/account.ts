import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../chain/chain.ts'
import { type AskedAmount, readAmounts } from '../chain/read-amounts.ts'
import type { Movement } from './read-movements.ts'

export type Account = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly token: Wallet
  readonly owner: Wallet
  readonly kind: 'deposit' | 'split'
  readonly receiptId: string | undefined
  /** Money that the account received up to this block is not counted. */
  readonly since: bigint
}

export type Holding = { readonly held: bigint; readonly released: bigint }

const noRelease = { held: 0n, released: 0n }

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

/**
 * Returns the total that an account received up to a block: the sum of its balance, releases and known
 * sweeps.
 */
export async function readReceived(
  chain: Chain,
  account: Account,
  sweeps: readonly Movement[],
  at: bigint,
): Promise<bigint> {
  const holding = (await readHoldings(chain, [account], at)).get(account) ?? noRelease
  return receivedBy(holding, sweeps, at)
}

export function receivedBy({ held, released }: Holding, sweeps: readonly Movement[], at: bigint): bigint {
  return held + released + sum(sweeps.filter(({ blockNumber }) => blockNumber <= at))
}

export function sum(all: readonly { readonly amount: bigint }[]): bigint {
  return all.reduce((total, { amount }) => total + amount, 0n)
}

function releasedOf({ owner, token }: Account): AskedAmount {
  // totalReleased() and totalReleased(address)
  const data: Hex =
    token === nativeAddress ? '0xe33b7de3' : `0xd79779b2${token.slice(2).toLowerCase().padStart(64, '0')}`
  return { to: owner, data }
}

import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../chain/chain.ts'
import { readAmounts } from '../chain/read-amounts.ts'
import { type Account, sum } from './account.ts'
import { keyOf, type Owners } from './arrival.ts'
import { type Difference, type DifferingTransaction, describeBooked } from './compare-ledger.ts'
import type { BookedAmount, BookedDeposit, LostCredit } from './ledger.ts'
import type { Traced } from './trace-hidden.ts'

const noBlock: Pick<DifferingTransaction, 'hash' | 'blockNumber'> = { hash: '0x', blockNumber: 0n }

/** Checks each split and token: swept deposits + direct arrivals = balance + released. Pure. */
export function checkSums(owners: Owners, accounts: readonly Account[], traced: Traced): Difference[] {
  const swept = Map.groupBy(
    traced.movements.filter((each) => each.kind === 'swept' && owners.isOurs(each)),
    ({ to, token }) => keyOf({ owner: to, token }),
  )
  const direct = Map.groupBy(traced.arrived, ({ account }) => account)
  return accounts.flatMap((account) => {
    if (account.kind === 'deposit') return []
    const { merchant, token, owner, since } = account
    const fromDeposits = (swept.get(keyOf(account)) ?? []).filter(({ blockNumber }) => blockNumber > since)
    const ledger = sum(fromDeposits) + sum(direct.get(account) ?? [])
    const chain = traced.received.get(account) ?? 0n
    if (chain === ledger) return []
    const where = [`${chain} received by split ${owner}, of which the ledger explains ${ledger}`]
    return [{ merchant, token, chain, ledger, transactions: [{ ...noBlock, chain, ledger, where }] }]
  })
}

/**
 * Returns deposit addresses that no factory derives from their split and reference, so that no sweep can
 * reach them.
 *
 * @throws {ChainUnavailable}
 */
export async function checkAddresses(
  chain: Chain,
  factories: readonly Wallet[],
  deposits: readonly BookedDeposit[],
  at: bigint,
): Promise<Difference[]> {
  let left = deposits
  for (const to of factories) {
    const asked = left.map((each) => ({ to, data: depositAddressCall(each) }))
    const responses = await readAmounts(chain, asked, at)
    left = left.filter(({ address }, i) => responses[i] !== BigInt(address))
  }
  return left.map(({ merchant, receiptId, address }) =>
    oneSided(merchant, nativeAddress, {
      ...noBlock,
      where: [`deposit ${address} of receipt ${receiptId} does not follow from its split and reference`],
    }),
  )
}

export function nameMisplaced(booked: BookedAmount, { owner, receiptId }: Account): DifferingTransaction {
  const { txHash: hash, blockNumber, amount: ledger } = booked
  const where = [describeBooked(booked), `which was credited from deposit ${owner} of receipt ${receiptId}`]
  return { hash, blockNumber, chain: 0n, ledger, where }
}

export function nameLostCredit({ merchant, txHash: hash }: LostCredit): Difference {
  const where = ['was credited once, and its payment is gone']
  return oneSided(merchant, nativeAddress, { hash, blockNumber: 0n, where })
}

function oneSided(
  merchant: Wallet,
  token: Wallet,
  transaction: Omit<DifferingTransaction, 'chain' | 'ledger'>,
): Difference {
  const nothing = { chain: 0n, ledger: 0n }
  return { merchant, token, ...nothing, transactions: [{ ...transaction, ...nothing }] }
}

/** `depositAddress(address,bytes32)` */
function depositAddressCall({ split, reference }: BookedDeposit): Hex {
  return `0x130f5a4b${split.slice(2).toLowerCase().padStart(64, '0')}${reference.slice(2)}`
}

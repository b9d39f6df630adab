import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SplitEvent } from '../../split/split-event.ts'
import { findTargetsByDeposit } from '../attempts/targets.ts'
import type { FoundLog, ReturnedLog } from '../ledger/known-log.ts'
import { recogniseFound, returnLogs } from '../ledger/known-log-store.ts'
import type { UnmatchedLog, UnmatchedReason } from '../ledger/match-transfer.ts'
import { savePlaces } from '../ledger/place-store.ts'
import { recordUnmatched } from '../ledger/unmatched.ts'

type Needs = { tx: Database; random: Random; clock: Clock }

/**
 * Records unmatched payments in the inbox, along with their blocks in case of a reorg. Safe to repeat.
 *
 * The number of statements does not depend on the number of payments.
 */
export async function recordUnmatchedLogs(
  needs: Needs,
  chain: number,
  unmatchedLogs: readonly UnmatchedLog[],
): Promise<void> {
  const entries = unmatchedLogs.map((unmatchedLog) => ({
    ...unmatchedLog,
    receiptId: unmatchedLog.target?.receiptId,
  }))
  await recordUnmatched(needs, chain, entries, needs.clock.now())
  await placeUnmatchedLogs(needs.tx, chain, unmatchedLogs)
}

export async function returnCases(
  { tx }: Pick<Needs, 'tx'>,
  chain: number,
  returned: readonly ReturnedLog[],
): Promise<void> {
  await returnLogs(tx, chain, returned)
  await placeUnmatchedLogs(
    tx,
    chain,
    returned.map(({ found }) => found),
  )
}

async function placeUnmatchedLogs(
  tx: Database,
  chain: number,
  unmatchedLogs: readonly FoundLog[],
): Promise<void> {
  const places = unmatchedLogs.map((unmatchedLog) => {
    return {
      ...unmatchedLog,
      receiptId: undefined,
      blockNumber: unmatchedLog.block.number,
      wanted: undefined,
    }
  })
  await savePlaces(tx, chain, places)
}

/**
 * Records in the merchant's inbox the split arrivals that belong to no attempt. Safe to repeat.
 *
 * Such arrivals are direct transfers, or sweeps of a deposit address that was never issued. They are
 * distributed like other money; only a person can assign a receipt.
 */
export async function recordDirectPayments(
  needs: { tx: Database; random: Random },
  to: {
    readonly chain: number
    readonly merchant: Wallet
    readonly split: Wallet
    readonly tokenAddress: Wallet
  },
  events: readonly SplitEvent[],
  now: UnixMs,
): Promise<void> {
  const { chain, merchant, split, tokenAddress } = to
  const deposits = await listKnownDeposits(needs.tx, chain, events)
  const found = events.flatMap((event) => {
    if (event.kind !== 'arrived' || event.how === 'call') return []
    if (event.deposit && deposits.has(event.deposit)) return []
    const { transactionHash: txHash, logIndex, blockNumber: number, blockHash: hash, at } = event.place
    const block = { number, hash, at }
    const source: string = event.deposit ?? split
    const { amount, from: payer } = event
    const key = { txHash, logIndex, address: '' as const }
    return [{ ...key, merchant, kind: 'call' as const, source, tokenAddress, amount, payer, block }]
  })
  const { fresh, returned } = await recogniseFound(needs.tx, chain, found)
  const entries = fresh.map((log) => {
    const reason: UnmatchedReason = log.source === split ? 'direct' : 'unknown-deposit'
    return { ...log, receiptId: undefined, reason }
  })
  await recordUnmatched(needs, chain, entries, now)
  await returnLogs(needs.tx, chain, returned)
  await savePlaces(needs.tx, chain, [
    ...fresh.map((log) => ({
      ...log,
      receiptId: undefined,
      blockNumber: log.block.number,
      wanted: undefined,
    })),
    // A payment applied to a receipt before the reorg: the watcher updates that receipt.
    ...returned.map(({ was: { receiptId }, found: log }) => ({
      ...log,
      receiptId,
      blockNumber: log.block.number,
      wanted: receiptId && ('final' as const),
    })),
  ])
}

async function listKnownDeposits(
  tx: Database,
  chain: number,
  events: readonly SplitEvent[],
): Promise<ReadonlySet<Wallet>> {
  const swept = events.flatMap((event) => (event.kind === 'arrived' ? (event.deposit ?? []) : []))
  const targets = await findTargetsByDeposit(tx, chain, [...new Set(swept)])
  return new Set(targets.map(({ depositAddress }) => depositAddress))
}

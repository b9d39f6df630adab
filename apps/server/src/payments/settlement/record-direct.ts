import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SplitEvent } from '../../split/split-event.ts'
import { returnLogs } from '../ledger/known-log-store.ts'
import { savePlaces } from '../ledger/place-store.ts'
import { recogniseFound } from '../ledger/recognise-found.ts'
import { recordUnmatched } from '../ledger/unmatched.ts'

/**
 * Puts money that was sent straight to a split, under no reference, into its merchant's inbox. It is shared
 * out like all money there; which receipt it was meant for, if any, only a person can say. Safe to repeat.
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
  const found = events.flatMap((event) => {
    if (event.kind !== 'arrived' || event.how !== 'plain') return []
    const { transactionHash: txHash, logIndex, blockNumber: number, blockHash: hash, at } = event.place
    const block = { number, hash, at }
    const source = split as string
    const { amount, from: payer } = event
    const key = { txHash, logIndex, address: '' as const }
    return [{ ...key, merchant, kind: 'call' as const, source, tokenAddress, amount, payer, block }]
  })
  const { fresh, returned } = await recogniseFound(needs.tx, chain, found)
  const entries = fresh.map((log) => ({ ...log, receiptId: undefined, reason: 'direct' as const }))
  await recordUnmatched(needs, chain, entries, now)
  await returnLogs(needs.tx, chain, returned)
  await savePlaces(needs.tx, chain, [
    ...fresh.map((log) => ({
      ...log,
      receiptId: undefined,
      blockNumber: log.block.number,
      wanted: undefined,
    })),
    // Applied to a receipt before it was lost: the watcher brings the receipt up to it.
    ...returned.map(({ was: { receiptId }, found: log }) => ({
      ...log,
      receiptId,
      blockNumber: log.block.number,
      wanted: receiptId && ('final' as const),
    })),
  ])
}

import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { SplitEvent } from '../split/split-event.ts'
import { recordUnmatched } from './unmatched.ts'
import { savePlaces } from './watch-store.ts'

/**
 * Puts money that was sent straight to a split, under no reference, into its merchant's inbox. It is shared
 * out like all money there; which receipt it was meant for, if any, only a person can say. Safe to repeat.
 */
export async function recordDirectPayments(
  needs: { tx: Database; random: Random },
  to: { readonly chain: number; readonly merchant: Wallet; readonly tokenAddress: Wallet },
  events: readonly SplitEvent[],
  now: UnixMs,
): Promise<void> {
  const { chain, merchant, tokenAddress } = to
  const entries = events.flatMap((event) => {
    if (event.kind !== 'arrived' || event.how !== 'plain') return []
    const { transactionHash: txHash, logIndex, blockNumber: number, blockHash: hash, at } = event.place
    const key = { txHash, logIndex, address: '' as const, merchant, receiptId: undefined }
    const { amount } = event
    const block = { number, hash, at }
    return [{ ...key, tokenAddress, amount, payer: undefined, reason: 'direct' as const, block }]
  })
  await recordUnmatched(needs, chain, entries, now)
  await savePlaces(
    needs.tx,
    chain,
    entries.map((entry) => ({ ...entry, blockNumber: entry.block.number, wanted: undefined })),
  )
}

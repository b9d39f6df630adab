import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { compareOnChain, isReversed, type Payment } from '../ledger/payment.ts'

/**
 * What had counted and went with blocks that are gone since this look. What the next block includes again within the same
 * look is no news: nobody was told that it was gone.
 *
 * @param vanished - What is reported likewise.
 */
export function findReversed(
  payments: readonly Payment[],
  lost: readonly Hex[],
  vanished: readonly Payment[],
): Payment[] {
  const reversed = payments.filter((payment) => isReversed(payment) && lost.includes(payment.block.hash))
  return [...reversed, ...vanished].sort(compareOnChain)
}

/**
 * What vanished before it was credited, of a receipt that is paid on a provider's word: its delivery. Of any other receipt
 * it is no news. The receipt waits for it, as for what was reversed, until credited payments cover the total.
 */
export function listVanished(
  { status, providerSession, paidUnits, payment }: Receipt,
  payments: readonly Payment[],
  lost: readonly Hex[],
): { now: readonly Payment[]; isGone: boolean } {
  const isOnWord = isSettled(status) && providerSession?.isPaid === true && paidUnits === undefined
  if (!isOnWord) return { now: [], isGone: false }
  const all = payments.filter(({ state, creditedAt }) => state === 'orphaned' && creditedAt === undefined)
  const now = all.filter(({ block }) => lost.includes(block.hash))
  return { now, isGone: now.length > 0 || (all.length > 0 && payment?.state === 'orphaned') }
}

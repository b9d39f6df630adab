import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { countInBlock } from '../../receipts/history.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { enqueueReceiptEvent } from '../../receipts/receipt-event.ts'
import { compareOnChain, isReversed, type Payment } from '../ledger/payment.ts'

/** What a look at the chain did to payments that had counted. */
type Reversals = {
  /** Their blocks are gone. */
  readonly reversed: readonly Payment[]
  /** They were gone and stand in the chain again. */
  readonly restored: readonly Payment[]
  /** Other money that counts from now on. */
  readonly credited: readonly Payment[]
}

/**
 * Reports to the merchant that money which had counted is gone, and that it is back or that other money took
 * its place: never silent, and never a step back of the status. Each fact has a key of its own.
 *
 * @param receipt.before - As it was before the look.
 * @returns whether there was anything to report.
 */
export async function reportReversals(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  receipt: { readonly before: Receipt; readonly after: Receipt },
  { reversed, restored, credited }: Reversals,
): Promise<boolean> {
  const { before, after } = receipt
  alert(needs.log, reversed)
  const isSettled = before.payment?.state === 'orphaned' && after.payment?.state !== 'orphaned'
  const [lost, back, other] = [reversed.at(-1), restored.at(-1), isSettled ? credited.at(-1) : undefined]
  const about = lost ?? back ?? other
  if (!about) return false
  const suffix = lost
    ? await suffixOf(needs.tx, before, 'orphaned', lost)
    : back
      ? await suffixOf(needs.tx, before, 'restored', back)
      : `replaced:${about.block.hash}`
  // Coin without a transaction of its own is keyed by the block's hash, which is no transaction's.
  const transactionHash = about.txHash === about.block.hash ? undefined : about.txHash
  await enqueueReceiptEvent(needs, after, {
    previousStatus: after.status,
    fact: { transactionHash, suffix },
  })
  return true
}

/** Two branches of the chain may take turns: what was said of a block once is said again under another key. */
async function suffixOf(
  tx: Database,
  before: Receipt,
  what: 'orphaned' | 'restored',
  { block }: Payment,
): Promise<string> {
  const count = await countInBlock(tx, before, `payment_${what}`, block.hash)
  return count === 0 ? `${what}:${block.hash}` : `${what}:${block.hash}:${count + 1}`
}

function alert(log: Log, reversed: readonly Payment[]): void {
  for (const { merchant, receiptId, txHash, block } of reversed) {
    const place = { transactionHash: txHash, blockNumber: block.number.toString() }
    const fields = { alert: 'payment-orphaned', merchant, receiptId, ...place }
    log.error(fields, 'a reorg reversed a payment that had been credited')
  }
}

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

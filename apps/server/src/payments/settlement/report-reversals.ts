import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { countInBlock } from '../../receipts/history.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { enqueueReceiptEvent } from '../../receipts/receipt-event.ts'
import type { Payment } from '../ledger/payment.ts'

type Reversals = {
  readonly reversed: readonly Payment[]
  readonly restored: readonly Payment[]
  readonly credited: readonly Payment[]
}

/**
 * Reports that a credited payment was reversed, restored or replaced. The status never moves back.
 *
 * Each change has its own idempotency key.
 *
 * @param receipt.before - State before this step.
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
  // A native transfer without a transaction is keyed by the block hash.
  const transactionHash = about.txHash === about.block.hash ? undefined : about.txHash
  await enqueueReceiptEvent(needs, after, {
    previousStatus: after.status,
    fact: { transactionHash, suffix },
  })
  return true
}

/** Two branches of the chain may alternate, so a repeated report of the same block needs a different key. */
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
    log.error(fields, 'a reorg reversed a credited payment')
  }
}

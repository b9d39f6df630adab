import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { changeStatus } from '../change-status.ts'
import { customerTotalCents, type Receipt } from '../receipt.ts'
import { lockReceipt, saveProgress } from '../store.ts'
import { countedCents } from './refund.ts'
import { listRefunds } from './store.ts'

/**
 * Makes a receipt `refunded` when what counts of its refunds has reached what the amount the customer paid; less leaves
 * its status as it is. Safe to repeat.
 */
export async function completeRefunds(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  merchant: Wallet,
  id: ReceiptId,
  detail: Readonly<Record<string, unknown>>,
): Promise<'moved' | 'stayed'> {
  const { receipt, counted } = await countRefunded(needs.tx, merchant, id)
  if (counted < customerTotalCents(receipt)) return 'stayed'
  return (await changeStatus(needs, merchant, id, { kind: 'refunds_complete', detail })).kind
}

/** Writes down on a receipt what of its refunds counts. */
export async function countRefunded(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<{ receipt: Receipt; counted: Cents }> {
  const receipt = await lockReceipt(tx, merchant, id)
  assert(receipt, 'a refund belongs to a receipt')
  const counted = countedCents(await listRefunds(tx, merchant, id))
  if (counted !== receipt.refundedCents) await saveProgress(tx, { ...receipt, refundedCents: counted })
  return { receipt, counted }
}

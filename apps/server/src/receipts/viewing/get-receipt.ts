import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { findReceipt } from '../store.ts'

/**
 * The merchant's receipt.
 *
 * @throws {Refusal} `not_found` when there is none, or when another merchant owns it: the two answers are
 * the same so that ids cannot be probed.
 */
export async function getReceipt(needs: { db: Database }, merchant: Wallet, id: string): Promise<Receipt> {
  const parsed = parseReceiptId(id)
  const receipt = parsed && (await findReceipt(needs.db, merchant, parsed))
  if (!receipt) throw new Refusal('not_found', 'Receipt not found')
  return receipt
}

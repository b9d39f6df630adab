import type { Wallet } from '@sluice/protocol/wallet.ts'
import { newWallet } from '../support/api/sessions.ts'
import { seededRandom } from '../support/test-random.ts'

/** The second merchant, who sells in a part of the seeds. Its receipts have the ids of the first merchant's. */
export const otherMerchant: Wallet = newWallet(seededRandom('other merchant')).wallet

export function nameOfReceipt(merchant: Wallet, id: string): string {
  return merchant === otherMerchant ? `other ${id}` : id
}

/** SQL for {@link nameOfReceipt}. */
export function receiptName(merchant: string, id: string): string {
  return `CASE ${merchant} WHEN '${otherMerchant}' THEN 'other ' || ${id} ELSE ${id} END`
}

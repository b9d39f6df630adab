import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import { afterPayment } from '../../receipts/after-payment.ts'
import { type Asked, getPayableReceipt } from './find-checkout.ts'

/** A merchant's script, and whose it is. */
export type OnSuccess = { readonly script: string; readonly merchant: Wallet }

/**
 * The merchant's script that runs once a receipt is paid; `undefined` before that, and where there is none.
 *
 * @throws {Refusal} `not_found`
 */
export async function findOnSuccess(
  needs: { db: Database },
  id: string,
  asked: Asked,
): Promise<OnSuccess | undefined> {
  const receipt = await getPayableReceipt(needs, id, asked)
  const isPaid = receipt.status === 'paid' || receipt.status === 'reconciled'
  const script = isPaid ? afterPayment(receipt).script : undefined
  return script === undefined ? undefined : { script, merchant: receipt.merchant }
}

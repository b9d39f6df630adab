import type { Database } from '../../platform/database/database.ts'
import { afterPayment } from '../../receipts/after-payment.ts'
import { type Asked, getPayableReceipt } from './find-checkout.ts'

/**
 * The merchant's script that runs once a receipt is paid; `undefined` before that, and where there is none.
 *
 * @throws {Refusal} `not_found`
 */
export async function findOnSuccess(
  needs: { db: Database },
  id: string,
  asked: Asked,
): Promise<string | undefined> {
  const receipt = await getPayableReceipt(needs, id, asked)
  const isPaid = receipt.status === 'paid' || receipt.status === 'reconciled'
  return isPaid ? afterPayment(receipt).script : undefined
}

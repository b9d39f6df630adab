import type { Database } from '../../src/platform/database/database.ts'
import { receiptName } from './merchants.ts'
import { creditedPerSource, isCoveredBy, type Money } from './paid-cover.ts'
import type { World } from './world.ts'

/** Time after which the service has reported every delivery that did not come. */
export const daysOfDelivery = 6

type PaidReceipt = {
  readonly id: string
  readonly name: string
  readonly total: bigint
  readonly credits: readonly Money[] | null
}

/**
 * Returns a receipt that is paid without its money on the chain, if the merchant's endpoint has accepted no
 * event about that. A reorg took the payment, or a provider did not deliver or took its word back.
 *
 * @param options.isLate - Whether the time for deliveries is over. Before, an accepted order is as good as money.
 */
export async function findUntold(
  { cards, marked, receiver }: World,
  db: Database,
  { isLate }: { isLate: boolean },
): Promise<string | undefined> {
  for (const { id, name, total, credits } of await db.rows<PaidReceipt>(paidNow)) {
    const isAwaited = cards?.sessions.some(({ receiptId, isTaken }) => receiptId === name && isTaken)
    if (marked.has(name) || (isAwaited && !isLate)) continue
    const sum = [...creditedPerSource(credits).values()].reduce((a, b) => a + b, 0n)
    if (isCoveredBy(sum, total)) continue
    const isTold = [...receiver.acknowledged].some((key) => key.includes(`:${id}:`) && reports.test(key))
    if (!isTold) return `${name} is paid, its money is not on the chain, and its merchant was not told`
  }
  return undefined
}

const reports = /:(delivery-overdue|provider-reversed|orphaned):/

/** Money that a merchant has given back is its own decision. */
const paidNow = {
  name: 'untold-receipts',
  text: `SELECT r.id, ${receiptName('r.merchant', 'r.id')} AS name, r.total_cents + r.fee_cents AS total, (
      SELECT json_agg(json_build_object('source', p.source, 'token', p.token, 'units', p.amount::text,
        'rate', p.rate_e8::text))
      FROM payment p WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.state = 'credited'
    ) AS credits FROM receipt r WHERE r.status IN ('paid', 'reconciled', 'refund_requested')`,
}

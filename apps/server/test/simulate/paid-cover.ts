import { isSettled, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { receiptName } from './merchants.ts'
import type { World } from './world.ts'

export type Money = {
  readonly source: string
  readonly token: string
  readonly units: string
  readonly rate: string
}
type ReceiptNow = {
  readonly id: string
  readonly status: ReceiptStatus
  readonly total: bigint
  readonly credits: readonly Money[] | null
}

/**
 * Returns a receipt that is paid without enough money: credited payments, and orders that a provider
 * accepted. Also a receipt that was paid and is not any more.
 */
export async function findUncovered(
  { cards, marked }: World,
  db: Database,
  settled: Set<string>,
): Promise<string | undefined> {
  for (const { id, status, total, credits } of await db.rows<ReceiptNow>(receiptsNow)) {
    if (settled.has(id) && !isSettled(status)) return `${id} was paid and is ${status}`
    if (isSettled(status)) settled.add(id)
    const isPending = status === 'paid - ach pending'
    if ((!isSettled(status) && !isPending) || marked.has(id)) continue
    const orders = (cards?.sessions ?? []).filter(
      ({ receiptId, isTaken, isPending: isBank, isForgotten }) =>
        receiptId === id && !isForgotten && (isTaken || (isPending && isBank)),
    )
    const left = creditedPerSource(credits)
    let sum = 0n
    // The delivery of an order is not more money than the order.
    for (const { order } of orders) {
      const delivered = left.get(order.depositAddress) ?? 0n
      const ordered = order.dueCents * finePerCent
      sum += delivered > ordered ? delivered : ordered
      left.delete(order.depositAddress)
    }
    for (const worth of left.values()) sum += worth
    if (!isCoveredBy(sum, total)) return `${id} is ${status} without enough money`
  }
  return undefined
}

/** Returns the worth of credits, by deposit address or reference. */
export function creditedPerSource(credits: readonly Money[] | null): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const credit of credits ?? [])
    sums.set(credit.source, (sums.get(credit.source) ?? 0n) + worthOf(credit))
  return sums
}

/** @param total - Cents. A thousandth may be missing. */
export function isCoveredBy(worth: bigint, total: bigint): boolean {
  return (worth * 1001n) / 1000n >= total * finePerCent
}

/** Worth is counted in 10^-24 cents, in which every rate is an integer. */
const finePerCent = 10n ** 24n
const decimalsOf = new Map(tokenKinds.map(({ symbol, decimals }) => [symbol as string, decimals]))

function worthOf({ token, units, rate }: Money): bigint {
  return BigInt(units) * BigInt(rate) * 10n ** BigInt(18 - (decimalsOf.get(token) as number))
}

const receiptsNow = {
  name: 'oracle-receipts',
  text: `SELECT ${receiptName('r.merchant', 'r.id')} AS id, r.status, r.total_cents + r.fee_cents AS total, (
      SELECT json_agg(json_build_object('source', p.source, 'token', p.token, 'units', p.amount::text,
        'rate', p.rate_e8::text))
      FROM payment p WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.credited_at IS NOT NULL
    ) AS credits FROM receipt r`,
}

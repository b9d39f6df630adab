import type { Database } from '../../src/platform/database/database.ts'
import { receiptName } from './merchants.ts'
import type { World } from './world.ts'

/** Returns what providers did that the receipts do not show once, when nothing fails any more. */
export async function findCardUnrest({ cards }: World, db: Database): Promise<string | undefined> {
  if (!cards || cards.sessions.length === 0) return undefined
  const receipts = await db.rows<{ id: string; status: string; total: bigint }>(totals)
  for (const { id, status, total } of receipts) {
    const isOrdered = cards.sessions.some(
      ({ receiptId, kind, order, isForgotten }) =>
        receiptId === id &&
        !isForgotten &&
        (kind === 'accepted' || kind === 'settled') &&
        order.dueCents >= total,
    )
    if (isOrdered && !paidLike.has(status)) return `${id} was paid by card and is ${status}`
  }
  for (const { session, state, count } of await db.rows<Reported>(reported)) {
    const changes = cards.sessions.find(({ id }) => id === session)?.changes ?? []
    const most = changes.filter((each) => each === state).length
    if (count > most) return `${session} became ${state} ${most} times and shows it ${count} times`
  }
  return undefined
}

const paidLike = new Set(['paid', 'reconciled', 'refund_requested', 'refunded'])

const totals = {
  name: 'card-rest-totals',
  text: `SELECT ${receiptName('merchant', 'id')} AS id, status, total_cents + fee_cents AS total FROM receipt`,
}

type Reported = { readonly session: string; readonly state: string; readonly count: bigint }

/** One row for each change. A return of an unheard bank payment has another row for its acceptance. */
const reported = {
  name: 'card-rest-reported',
  text: `SELECT detail ->> 'providerSessionId' AS session, detail ->> 'state' AS state, count(*) AS count
    FROM receipt_history WHERE kind IN ('provider_event', 'status') AND detail ->> 'providerSessionId' IS NOT NULL
      AND detail ->> 'source' IS NOT NULL
      AND (detail ->> 'state' <> 'returned' OR detail ->> 'trigger' IS DISTINCT FROM 'ach_accepted')
    GROUP BY 1, 2`,
}

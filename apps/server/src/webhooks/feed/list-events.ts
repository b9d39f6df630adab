import type { EventPage, EventsQuery } from '@sluice/protocol/api/events.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { cutPage, parseLimit } from '../../access/page.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { findLastNumber, listNumbered, type NumberedEvent } from './event-store.ts'
import { numberEvents } from './number-events.ts'

/**
 * A page of the merchant's feed, oldest first: everything committed before the question is in it.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200, or `after` and `cursor` that differ.
 */
export async function listEvents(
  needs: { db: Database },
  merchant: Wallet,
  query: EventsQuery,
): Promise<EventPage> {
  const { after = query.cursor ?? '0', cursor = after } = query
  if (BigInt(after) !== BigInt(cursor))
    throw invalidInput({ path: 'cursor', message: 'differs from its alias after' })
  const limit = parseLimit(query.limit)
  await numberEvents(needs.db, merchant)
  const found = await listNumbered(needs.db, merchant, BigInt(after), limit + 1)
  const { page, hasMore } = cutPage(found, limit)
  return {
    events: page.map(viewEvent),
    nextCursor: hasMore ? String(page.at(-1)?.number) : null,
    last: Number(await findLastNumber(needs.db, merchant)),
  }
}

function viewEvent(event: NumberedEvent): EventPage['events'][number] {
  const { number, subject, idempotencyKey, createdAt, previousHash, hash, body } = event
  return { number: Number(number), receiptId: subject, idempotencyKey, createdAt, previousHash, hash, body }
}

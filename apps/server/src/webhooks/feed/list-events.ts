import type { EventPage, EventsQuery } from '@sluice/protocol/api/events.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { numberCursor, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import { findLastNumber, listNumbered, type NumberedEvent } from './event-store.ts'
import { numberEvents } from './number-events.ts'

/**
 * Returns a page of the merchant's feed, oldest first, with all events committed before the call.
 *
 * @throws {ApiError} `invalid_input` for a limit outside 1–200, or if `after` and `cursor` differ.
 */
export async function listEvents(
  needs: { db: Database },
  merchant: Wallet,
  query: EventsQuery,
): Promise<EventPage> {
  const { after = query.cursor ?? '0', cursor = after } = query
  if (BigInt(after) !== BigInt(cursor))
    throw invalidInput({ path: 'cursor', message: 'differs from its alias after' })
  const place = { ...(query.limit !== undefined && { limit: query.limit }), cursor: after }
  const { page, nextCursor } = await readPage(place, fromZero, async (last, count) => {
    await numberEvents(needs.db, merchant)
    return listNumbered(needs.db, merchant, last?.number ?? 0n, count)
  })
  return {
    events: page.map(viewEvent),
    nextCursor,
    last: Number(await findLastNumber(needs.db, merchant)),
  }
}

const fromZero = { ...numberCursor('number'), parse: (text: string) => ({ number: BigInt(text) }) }

export function viewEvent(event: NumberedEvent): EventPage['events'][number] {
  const { number, subject, idempotencyKey, createdAt, previousHash, hash, body } = event
  return { number: Number(number), receiptId: subject, idempotencyKey, createdAt, previousHash, hash, body }
}

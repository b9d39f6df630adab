import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { badCursor, maxPageBytes, parseLimit } from '../../access/page.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { type ListPlace, listReceipts } from '../store.ts'

/**
 * A page of the merchant's receipts, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listReceiptsPage(
  needs: { db: Database },
  merchant: Wallet,
  query: { limit?: string; cursor?: string },
): Promise<{ receipts: Receipt[]; nextCursor: string | null }> {
  const limit = parseLimit(query.limit)
  const room = { limit, maxBytes: maxPageBytes }
  const { receipts, hasMore } = await listReceipts(needs.db, merchant, room, parsePlace(query.cursor))
  const last = receipts.at(-1)
  return { receipts, nextCursor: hasMore && last ? writePlace(last) : null }
}

/** The cursor that goes on after a place. */
export function writePlace(place: ListPlace): string {
  return Buffer.from(`${place.createdAt}:${place.id}`).toString('base64url')
}

/** @throws {Refusal} `invalid_input` for a text that is no cursor. */
export function parsePlace(text: string | undefined): ListPlace | undefined {
  if (text === undefined) return undefined
  const match = /^(\d{1,15}):(.+)$/.exec(Buffer.from(text, 'base64url').toString())
  const id = parseReceiptId(match?.[2])
  if (!match || !id) throw badCursor()
  return { createdAt: Number(match[1]), id }
}

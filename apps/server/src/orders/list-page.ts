import type { Wallet } from '@sluice/protocol/wallet.ts'
import { badCursor, maxPageBytes, parseLimit } from '../access/page.ts'
import type { Database } from '../platform/database/database.ts'
import { type KnownOrder, listOrders } from './store.ts'

/**
 * A page of the merchant's orders, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listOrdersPage(
  needs: { db: Database },
  merchant: Wallet,
  query: { limit?: string; cursor?: string },
): Promise<{ orders: KnownOrder[]; nextCursor: string | null }> {
  const limit = parseLimit(query.limit)
  const room = { limit, maxBytes: maxPageBytes }
  const { orders, hasMore } = await listOrders(needs.db, merchant, room, parseCursor(query.cursor))
  const last = orders.at(-1)
  return { orders, nextCursor: hasMore && last ? writeCursor(last) : null }
}

function writeCursor({ createdAt, id }: KnownOrder): string {
  return Buffer.from(`order:${createdAt}:${id}`).toString('base64url')
}

function parseCursor(text: string | undefined): { createdAt: number; id: string } | undefined {
  if (text === undefined) return undefined
  const match = /^order:(\d{1,15}):(R-[0-9A-Z]{26})$/.exec(Buffer.from(text, 'base64url').toString())
  if (!match) throw badCursor()
  return { createdAt: Number(match[1]), id: match[2] ?? '' }
}

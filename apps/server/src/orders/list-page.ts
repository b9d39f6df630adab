import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import { type KnownOrder, listOrders } from './store.ts'

const defaultLimit = 100
const maxLimit = 200

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
  const found = await listOrders(needs.db, merchant, limit + 1, parseCursor(query.cursor))
  const orders = found.slice(0, limit)
  const last = orders.at(-1)
  return { orders, nextCursor: found.length > limit && last ? writeCursor(last) : null }
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw invalidInput({ path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` })
}

function writeCursor({ createdAt, id }: KnownOrder): string {
  return Buffer.from(`order:${createdAt}:${id}`).toString('base64url')
}

function parseCursor(text: string | undefined): { createdAt: number; id: string } | undefined {
  if (text === undefined) return undefined
  const match = /^order:(\d{1,15}):(R-[0-9A-Z]{26})$/.exec(Buffer.from(text, 'base64url').toString())
  if (!match) throw invalidInput({ path: 'cursor', message: 'is not one this list gave' })
  return { createdAt: Number(match[1]), id: match[2] ?? '' }
}

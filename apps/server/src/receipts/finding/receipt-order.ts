import { createHash } from 'node:crypto'
import { type ListReceiptsQuery, receiptSorts } from '@sluice/protocol/api/receipts/filters.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { type Cursor, packedCursor } from '../../kernel/page.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { ReceiptFilter } from './receipt-filter.ts'

/** What a list of receipts is ordered by; receipts alike in that come in the order of their ids. */
export type ReceiptOrder = { readonly by: 'createdAt' | 'amount'; readonly isDescending: boolean }

/** Where in a list a receipt stands: its time or its amount in US cents, and its id. */
export type ReceiptPlace = { readonly key: bigint; readonly id: string }

/**
 * The order a query asks for.
 *
 * @throws {Refusal} `invalid_input`.
 */
export function parseOrder({ sort = '-createdAt' }: Pick<ListReceiptsQuery, 'sort'>): ReceiptOrder {
  if (!(receiptSorts as readonly string[]).includes(sort))
    throw invalidInput({ path: 'sort', message: `must be one of ${receiptSorts.join(', ')}` })
  return { by: sort.endsWith('amount') ? 'amount' : 'createdAt', isDescending: sort.startsWith('-') }
}

/** The cursors of one list: of its filter and its order, and of no other. */
export function cursorOf(filter: ReceiptFilter, order: ReceiptOrder): Cursor<ReceiptPlace> {
  const mark = markOf(filter, order)
  return packedCursor({
    write: ({ key, id }) => `${mark}:${key}:${id}`,
    parse(text) {
      const match = /^([\w-]{11}):(\d{1,18}):(.+)$/.exec(text)
      const id = parseReceiptId(match?.[3] ?? '')
      return match && match[1] === mark && id !== undefined ? { key: BigInt(match[2] ?? ''), id } : undefined
    },
  })
}

/** What tells the lists of one merchant apart. */
function markOf({ min, max, ...filter }: ReceiptFilter, order: ReceiptOrder): string {
  const told = JSON.stringify([filter, String(min), String(max), order])
  return createHash('sha256').update(told).digest('base64url').slice(0, 11)
}

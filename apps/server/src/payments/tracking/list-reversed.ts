import type { ReversedPaymentView } from '@sluice/protocol/api/deposits.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type PageQuery, readPage, timeCursor } from '../../kernel/page.ts'
import { int8, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { storedStatus } from '../../receipts/table.ts'

/**
 * The merchant's receipts whose payment the chain took back and that nothing has made good since, newest first. One that
 * was cancelled is settled for the merchant.
 */
export async function listReversed(
  db: Database,
  merchant: Wallet,
  query: PageQuery,
): Promise<{ receipts: ReversedPaymentView[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, cursor, (after, limit) =>
    db.rows(
      list({
        merchant,
        before: after?.createdAt ?? (Number.MAX_SAFE_INTEGER as UnixMs),
        beforeId: after?.id ?? '',
        limit,
      }),
    ),
  )
  const receipts = page.map(({ id, status, createdAt, totalCents }) => ({
    receiptId: id,
    status,
    totalUsd: writeCents(totalCents as Cents),
    createdAt,
  }))
  return { receipts, nextCursor }
}

const cursor = timeCursor('createdAt', parseReceiptId)

const list = statement({
  name: 'list-reversed-receipts',
  reads: { id: text<ReceiptId>(), status: storedStatus(), createdAt: time(), totalCents: int8() },
  text: `SELECT id, status, created_at, total_cents FROM receipt
    WHERE merchant = :merchant AND payment ->> 'state' = 'orphaned' AND standing <> 'cancelled'
      AND (created_at, id) < (:before, :beforeId)
    ORDER BY created_at DESC, id DESC LIMIT :limit`,
})

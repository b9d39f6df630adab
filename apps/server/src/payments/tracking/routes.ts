import { type QuestionedReceipt, questionList } from '@sluice/protocol/api/deposits.ts'
import { listQuery } from '@sluice/protocol/api/documented.ts'
import { receiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { merchantOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import { type PageQuery, readPage, timeCursor } from '../../kernel/page.ts'
import { int8, json, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { storedStatus } from '../../receipts/table.ts'
import { findMoney, type TrackingNeeds } from './find-money.ts'

export function trackingRoutes(needs: TrackingNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/receipts/{id}/money',
      access: {
        kind: 'key-or-session',
        scope: 'receipts:read',
        roles: ['owner', 'admin', 'developer', 'cashier', 'viewer'],
      },
      description:
        'Track the money of a receipt. Returns the payments with block and finality, the sweeps of their deposit addresses, and the share of each recipient, accurate to the base unit.',
      params: Type.Object({ id: Type.String() }),
      responses: { 200: receiptMoney },
      async handle({ caller, params }) {
        return { status: 200, body: await findMoney(needs, merchantOf(caller), params.id) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/payments/questions',
      access: { kind: 'key-or-session', scope: 'receipts:read' },
      description:
        'List payment problems. Returns receipts whose payment was reorged out and not paid since, cancelled receipts that were partially paid, and receipts with a refund whose transaction is missing. Newest first.',
      query: listQuery,
      responses: { 200: questionList },
      async handle({ caller, query }) {
        return { status: 200, body: await listQuestions(needs.db, merchantOf(caller), query) }
      },
    }),
  ]
}

/**
 * Lists receipts whose payment needs a decision, newest first, with the reasons.
 *
 * Fully refunded receipts are excluded, and so are reversed payments of canceled receipts.
 */
async function listQuestions(
  db: Database,
  merchant: Wallet,
  query: PageQuery,
): Promise<{ receipts: QuestionedReceipt[]; nextCursor: string | null }> {
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
  const receipts = page.map(({ id, status, createdAt, totalCents, reasons }) => ({
    receiptId: id,
    status,
    totalUsd: writeCents(totalCents as Cents),
    createdAt,
    reasons,
  }))
  return { receipts, nextCursor }
}

const cursor = timeCursor('createdAt', parseReceiptId)

const list = statement({
  name: 'list-money-questions',
  reads: {
    id: text<ReceiptId>(),
    status: storedStatus(),
    createdAt: time(),
    totalCents: int8(),
    reasons: json<QuestionedReceipt['reasons']>(),
  },
  text: `WITH question AS (
      SELECT id, 'payment-reversed' AS reason FROM receipt
        WHERE merchant = :merchant AND payment ->> 'state' = 'orphaned' AND standing <> 'cancelled'
      UNION ALL SELECT id, 'cancelled-part-paid' FROM receipt
        WHERE merchant = :merchant AND payment ->> 'state' = 'short' AND standing = 'cancelled'
          AND payment ? 'creditedCents' AND refunded_cents = 0
      UNION ALL SELECT id, CASE provider_session ->> 'delivery' WHEN 'overdue' THEN 'delivery-overdue' ELSE 'provider-reversed' END
        FROM receipt
        WHERE merchant = :merchant AND provider_session ->> 'delivery' IN ('overdue', 'reversed')
          AND paid_units IS NULL AND status <> 'failed'
      UNION SELECT receipt_id, 'refund-missing' FROM refund
        WHERE merchant = :merchant AND mark IS NULL AND error IS NOT NULL)
    SELECT r.id, r.status, r.created_at, r.total_cents, jsonb_agg(reason ORDER BY reason) AS reasons
    FROM question JOIN receipt AS r ON r.merchant = :merchant AND r.id = question.id
    WHERE r.status <> 'refunded' AND (r.created_at, r.id) < (:before, :beforeId)
    GROUP BY r.merchant, r.id ORDER BY r.created_at DESC, r.id DESC LIMIT :limit`,
})

import type { RequestView } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Cursor, type PageQuery, readPage } from '../../kernel/page.ts'
import { number, optional, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/**
 * Returns a page of a merchant's request log, newest first, for one key, one subscription or the merchant.
 *
 * Returns an empty page for another merchant's key.
 *
 * @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listRequests(
  db: Database,
  merchant: Wallet,
  query: PageQuery & { readonly key?: string },
): Promise<{ requests: RequestView[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, cursor, (before, count) =>
    db.rows(list({ merchant, key: query.key, cursor: before?.id, limit: count })),
  )
  return { requests: page.map(viewLine), nextCursor }
}

const cursor: Cursor<{ readonly id: string }> = {
  write: ({ id }) => id,
  parse: (sent) => (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(sent) ? { id: sent } : undefined),
}

type Line = Omit<RequestView, 'subscriptionId' | 'keyId' | 'wallet'> & {
  readonly id: string
  readonly keyId: string
  readonly subscriptionId: string | undefined
  readonly wallet: string | undefined
}

const storedLine: Parts<Line> = {
  id: text(),
  keyId: text(),
  subscriptionId: optional(text()),
  wallet: optional(text()),
  at: time(),
  method: text(),
  route: text(),
  status: number(),
  correlationId: text(),
  address: text(),
}

function viewLine({ id: _, keyId, subscriptionId, wallet, ...line }: Line): RequestView {
  return { ...line, subscriptionId: subscriptionId ?? null, keyId: keyId || null, wallet: wallet ?? null }
}

/**
 * Lines are indexed by key. The statement merges each key's newest lines, so its cost depends on the number
 * of keys.
 */
const list = statement({
  name: 'list-request-lines',
  text: `SELECT line.id, line.key_id, line.subscription_id, line.wallet, line.at, line.method, line.route,
      line.status, line.correlation_id, line.address
    FROM (
      SELECT id FROM api_key WHERE merchant = :merchant AND (:key::text IS NULL OR id = :key OR subscription_id = :key)
      UNION ALL SELECT '' WHERE :key::text IS NULL
    ) AS source
    CROSS JOIN LATERAL (
      SELECT * FROM request_log r
      WHERE r.merchant = :merchant AND r.key_id = source.id AND (:cursor::text IS NULL OR r.id < :cursor)
      ORDER BY r.id DESC LIMIT :limit
    ) AS line
    ORDER BY line.id DESC LIMIT :limit`,
  reads: storedLine,
})

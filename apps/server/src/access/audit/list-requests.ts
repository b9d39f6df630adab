import type { RequestView } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Cursor, type PageQuery, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'

/**
 * A page of a merchant's request log, newest first: of a key, of a subscription's keys, or of all keys and
 * sessions. Another merchant's key has no requests.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listRequests(
  db: Database,
  merchant: Wallet,
  query: PageQuery & { readonly key?: string },
): Promise<{ requests: RequestView[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, cursor, (before, count) =>
    db.rows<LineRow>(list, [merchant, query.key ?? null, before?.id ?? null, count]),
  )
  return { requests: page.map(viewLine), nextCursor }
}

const cursor: Cursor<{ readonly id: string }> = {
  write: ({ id }) => id,
  parse: (text) => (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(text) ? { id: text } : undefined),
}

type LineRow = {
  id: string
  key_id: string
  subscription_id: string | null
  wallet: string | null
  at: bigint
  method: string
  route: string
  status: number
  correlation_id: string
  address: string
}

function viewLine(row: LineRow): RequestView {
  return {
    at: Number(row.at),
    method: row.method,
    route: row.route,
    status: row.status,
    correlationId: row.correlation_id,
    subscriptionId: row.subscription_id,
    keyId: row.key_id || null,
    wallet: row.wallet,
    address: row.address,
  }
}

/** Lines lie by key: the newest of each are taken and merged, so that no page costs more than its keys. */
const list = {
  name: 'list-request-lines',
  text: `SELECT line.id, line.key_id, line.subscription_id, line.wallet, line.at, line.method, line.route,
      line.status, line.correlation_id, line.address
    FROM (
      SELECT id FROM api_key WHERE merchant = $1 AND ($2::text IS NULL OR id = $2 OR subscription_id = $2)
      UNION ALL SELECT '' WHERE $2::text IS NULL
    ) AS source
    CROSS JOIN LATERAL (
      SELECT * FROM request_log r
      WHERE r.merchant = $1 AND r.key_id = source.id AND ($3::text IS NULL OR r.id < $3)
      ORDER BY r.id DESC LIMIT $4
    ) AS line
    ORDER BY line.id DESC LIMIT $4`,
}

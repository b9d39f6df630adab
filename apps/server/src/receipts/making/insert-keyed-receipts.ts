import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { KeptAnswer } from '../../access/idempotency/store.ts'
import type { KeyedRequest, PlainAnswer } from '../../access/route.ts'
import { bool, number, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, eachOf } from '../../platform/database/table.ts'
import type { Receipt } from '../receipt.ts'
import { termsOf } from '../search-terms.ts'
import { receiptTable } from '../table.ts'
import { afterMade, besideHeld, hasty, isNew } from './insert-receipts.ts'

/** A new receipt, and the answer that its Idempotency-Key is to be answered with from then on. */
export type KeyedReceipt = {
  readonly receipt: Receipt
  readonly request: KeyedRequest
  readonly answer: PlainAnswer
  readonly at: UnixMs
}

/** `made`, with its answer kept; else what was kept for the key before, or nothing where the id was taken. */
export type KeyedOutcome = { readonly isMade: boolean; readonly kept: KeptAnswer | undefined }

/**
 * Stores new receipts as `insertReceipts` does, each with the answer to its Idempotency-Key, all or none of it; for
 * each, in their order, what it came to. A receipt whose key was answered before is not stored. No two have the same
 * id; they are of one merchant.
 *
 * Fails, and stores nothing, where a key is answered by somebody else in the same moment.
 */
export async function insertKeyedReceipts(
  db: Database,
  keyed: readonly KeyedReceipt[],
): Promise<KeyedOutcome[]> {
  const each = keyed.map(({ receipt, request, answer, at }) => ({
    ...receipt,
    terms: termsOf(receipt).join(' '),
    keyMethod: request.method,
    keyPath: request.path,
    keyName: request.key,
    keyHash: request.requestHash,
    answerStatus: answer.status,
    answerBody: answer.body,
    keptAt: at,
  }))
  const merchant = keyed[0]?.receipt.merchant
  if (merchant === undefined) return []
  const rows = await besideHeld(
    () => db.rows(insert({ each, merchant })),
    () => db.rows(insertBeside({ each, merchant, merchants: [merchant] })),
  )
  const outcomes = new Map(rows.map(({ id, ...outcome }) => [id, outcome]))
  return keyed.map(({ receipt: { id } }) => {
    const { isMade = false, requestHash, status, body } = outcomes.get(id) ?? {}
    const kept = requestHash === undefined || status === undefined ? undefined : { requestHash, status, body }
    return { isMade, kept }
  })
}

const outcome = {
  id: text<ReceiptId>(),
  isMade: bool(),
  requestHash: optional(text()),
  status: optional(number()),
  body: optional(text()),
}

const sentRows =
  `ROWS FROM (${eachOf(receiptTable)}, unnest(:each.terms::text[]), unnest(:each.keyMethod::text[]),
          unnest(:each.keyPath::text[]), unnest(:each.keyName::text[]), unnest(:each.keyHash::text[]),
          unnest(:each.answerStatus::smallint[]), unnest(:each.answerBody::text[]), unnest(:each.keptAt::int8[]))
        AS each (${columnsOf(receiptTable)}, terms, key_method, key_path, key_name, key_hash, answer_status,
          answer_body, kept_at)` as const

/**
 * The answer that was kept for a receipt's key. The offset has it asked for each by the key, whatever the planner makes of
 * a table it was never told of: planned for no answers at all, a join looks through all that a merchant has kept since.
 */
const withKnown = `LEFT JOIN LATERAL (
        SELECT known.request_hash, known.status, known.body FROM idempotency AS known
        WHERE known.merchant = :merchant AND known.merchant = each.merchant
          AND known.method = each.key_method AND known.path = each.key_path AND known.key = each.key_name
        OFFSET 0) AS known ON true` as const

const rest = `${afterMade},
    answered AS (
      INSERT INTO idempotency (merchant, method, path, key, request_hash, status, body, created_at)
      SELECT made.merchant, key_method, key_path, key_name, key_hash, answer_status, answer_body, kept_at
      FROM made JOIN sent ON sent.merchant = made.merchant AND sent.id = made.id ORDER BY 1, 2, 3, 4)
    SELECT sent.id, made.id IS NOT NULL AS is_made, sent.known_hash AS request_hash, sent.known_status AS status,
      sent.known_body AS body
    FROM sent LEFT JOIN made ON made.merchant = sent.merchant AND made.id = sent.id` as const

const sent =
  `SELECT each.*, known.request_hash AS known_hash, known.status AS known_status, known.body AS known_body
      FROM ${sentRows} ${withKnown}` as const

/** Keys are kept in one order, as receipts are stored; one that is there meanwhile ends the statement. */
const insert = statement({
  name: 'insert-keyed-receipts',
  writes: receiptTable,
  reads: outcome,
  text: `WITH sent AS (
      ${sent}, ${hasty}),
    made AS (
      INSERT INTO receipt (${columnsOf(receiptTable)})
      SELECT ${columnsOf(receiptTable)} FROM sent WHERE known_hash IS NULL ORDER BY merchant, id
      ON CONFLICT (merchant, id) DO NOTHING
      RETURNING *),
    ${rest}`,
})

const insertBeside = statement({
  name: 'insert-keyed-receipts-beside-held',
  writes: receiptTable,
  reads: outcome,
  text: `WITH sent AS (
      ${sent}),
    made AS (
      INSERT INTO receipt (${columnsOf(receiptTable)})
      SELECT ${columnsOf(receiptTable)} FROM sent
      WHERE ${isNew} AND known_hash IS NULL ORDER BY merchant, id
      ON CONFLICT (merchant, id) DO NOTHING
      RETURNING *),
    ${rest}`,
})

import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { laneOf } from './lane.ts'

/** What a merchant is to be told, finished: the body is signed and sent as it is. */
export type NewNotice = {
  readonly merchant: Wallet
  /** What the notice is about (a receipt's id, as plain text): newer notices of a subject replace older ones. */
  readonly subject: string
  readonly brandKey: string
  readonly url: string
  readonly keyId: string
  readonly sealedKey: string
  readonly idempotencyKey: string
  /** Grows within a subject. */
  readonly sequence: bigint
  readonly body: string
}

/**
 * Owes a merchant a webhook, in the transaction of the change it tells of: both or neither. The same
 * notification comes into the merchant's feed.
 *
 * Due at once. Older notices of the subject that only wait for the reconciliation schedule are
 * superseded by this one; those still in their first two attempts finish these.
 *
 * @returns The notice's id, a UUID: it is also what Standard Webhooks calls the message.
 */
export async function enqueueNotice(
  needs: { tx: Database; clock: Clock; random: Random },
  notice: NewNotice,
): Promise<string> {
  const id = randomUuid(needs.random)
  await needs.tx.run(enqueue, [
    notice.merchant,
    id,
    laneOf(notice.merchant),
    notice.subject,
    notice.brandKey,
    notice.url,
    new URL(notice.url).host,
    notice.keyId,
    notice.sealedKey,
    notice.idempotencyKey,
    notice.body,
    notice.sequence,
    randomUuid(needs.random),
    needs.clock.now(),
  ])
  return id
}

const enqueue = {
  name: 'enqueue-notice',
  text: `WITH added AS (
      INSERT INTO notice (merchant, id, lane, subject, brand_key, url, host, key_id, sealed_key, idempotency_key, body,
        sequence, state, delivery_id, attempt_count, cycle, next_at, claimed_until, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'pending', $13, 0, 0, $14, 0, $14)),
    told AS (
      INSERT INTO event (merchant, notice_id, subject, idempotency_key, body, created_at)
      VALUES ($1, $2, $4, $10, $11, $14))
    UPDATE notice SET state = 'superseded', superseded_by = $2, settled_at = $14
    WHERE merchant = $1 AND subject = $4 AND sequence < $12 AND state = 'pending' AND cycle > 0`,
}

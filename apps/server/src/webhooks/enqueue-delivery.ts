import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** What a merchant is to be told, finished: the body is signed and sent as it is. */
export type NewDelivery = {
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
export async function enqueueDelivery(
  needs: { tx: Database; clock: Clock; random: Random },
  notice: NewDelivery,
): Promise<string> {
  const id = randomUuid(needs.random)
  await needs.tx.run(
    enqueue({
      merchant: notice.merchant,
      id,
      subject: notice.subject,
      brandKey: notice.brandKey,
      url: notice.url,
      host: new URL(notice.url).host,
      keyId: notice.keyId,
      sealedKey: notice.sealedKey,
      idempotencyKey: notice.idempotencyKey,
      body: notice.body,
      sequence: notice.sequence,
      deliveryId: randomUuid(needs.random),
      nextAt: needs.clock.now(),
    }),
  )
  return id
}

/**
 * The state is compared as no index has it: after a time in which nothing waited, the index of all notices that wait looks
 * as good as that of the subject, and an outage would have each new notice read it from end to end.
 */
const enqueue = statement({
  name: 'enqueue-notice',
  text: `WITH added AS (
      INSERT INTO notice (merchant, id, subject, brand_key, url, host, key_id, sealed_key, idempotency_key, body,
        sequence, state, delivery_id, attempt_count, cycle, next_at, claimed_until, created_at)
      VALUES (:merchant, :id, :subject, :brandKey, :url, :host, :keyId, :sealedKey, :idempotencyKey, :body,
        :sequence, 'pending', :deliveryId, 0, 0, :nextAt, 0, :nextAt)),
    told AS (
      INSERT INTO event (merchant, notice_id, subject, idempotency_key, body, created_at)
      VALUES (:merchant, :id, :subject, :idempotencyKey, :body, :nextAt))
    UPDATE notice SET state = 'superseded', superseded_by = :id, settled_at = :nextAt
    WHERE merchant = :merchant AND subject = :subject AND sequence < :sequence AND state || '' = 'pending'
      AND cycle > 0`,
})

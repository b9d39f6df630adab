import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A delivery to enqueue. `body` is signed and sent unchanged. */
export type NewDelivery = {
  readonly merchant: Wallet
  /** Receipt id as plain text. Newer deliveries of a subject supersede older ones. */
  readonly subject: string
  readonly brandKey: string
  readonly url: string
  readonly keyId: string
  readonly encryptedKey: string
  readonly idempotencyKey: string
  /** Increases within a subject. */
  readonly sequence: bigint
  readonly body: string
}

/**
 * Enqueues a webhook delivery and its feed event, in the transaction of the change.
 *
 * The delivery is due immediately. It supersedes older deliveries of the subject that wait for the
 * reconciliation schedule. Deliveries that are still in their first two attempts complete those attempts.
 *
 * @returns The delivery's id (UUID), which is also the Standard Webhooks message id.
 */
export async function enqueueDelivery(
  needs: { tx: Database; clock: Clock; random: Random },
  message: NewDelivery,
): Promise<string> {
  const id = randomUuid(needs.random)
  await needs.tx.run(
    enqueue({
      merchant: message.merchant,
      id,
      subject: message.subject,
      brandKey: message.brandKey,
      url: message.url,
      host: new URL(message.url).host,
      keyId: message.keyId,
      encryptedKey: message.encryptedKey,
      idempotencyKey: message.idempotencyKey,
      body: message.body,
      sequence: message.sequence,
      deliveryId: randomUuid(needs.random),
      nextAt: needs.clock.now(),
    }),
  )
  return id
}

/**
 * `state || ''` prevents the planner from using the index of pending rows.
 *
 * With stale statistics, that index looks as cheap as the index by subject. During an outage, each insert
 * would then read it completely.
 */
const enqueue = statement({
  name: 'enqueue-message',
  text: `WITH added AS (
      INSERT INTO outbox_message (merchant, id, subject, brand_key, url, host, key_id, encrypted_key, idempotency_key, body,
        sequence, state, delivery_id, attempt_count, cycle, next_at, claimed_until, created_at)
      VALUES (:merchant, :id, :subject, :brandKey, :url, :host, :keyId, :encryptedKey, :idempotencyKey, :body,
        :sequence, 'pending', :deliveryId, 0, 0, :nextAt, 0, :nextAt)),
    told AS (
      INSERT INTO event (merchant, message_id, subject, idempotency_key, body, created_at)
      VALUES (:merchant, :id, :subject, :idempotencyKey, :body, :nextAt))
    UPDATE outbox_message SET state = 'superseded', superseded_by = :id, settled_at = :nextAt
    WHERE merchant = :merchant AND subject = :subject AND sequence < :sequence AND state || '' = 'pending'
      AND cycle > 0`,
})

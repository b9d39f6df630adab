import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { noteWork } from '../../platform/jobs/work-due.ts'

/** A notification that no webhook carries, finished: the body is what the webhook would have been. */
export type NewEvent = {
  readonly merchant: Wallet
  /** What it is about: a receipt's id, as plain text. */
  readonly subject: string
  readonly idempotencyKey: string
  readonly body: string
}

/**
 * Puts a notification into the merchant's feed, in the transaction of the change it tells of. One that a
 * webhook carries too comes into the feed by `enqueueDelivery`.
 */
export async function recordEvent(needs: { tx: Database; clock: Clock }, event: NewEvent): Promise<void> {
  const { merchant, subject, idempotencyKey, body } = event
  await noteWork(needs.tx, merchant, ['events'])
  await needs.tx.run(record({ merchant, subject, idempotencyKey, body, createdAt: needs.clock.now() }))
}

const record = statement({
  name: 'record-event',
  text: `INSERT INTO event (merchant, subject, idempotency_key, body, created_at) VALUES (:merchant, :subject,
    :idempotencyKey, :body, :createdAt)`,
})

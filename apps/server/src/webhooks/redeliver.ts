import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { statement } from '../platform/database/statement.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { type Delivery, findDelivery } from './list-deliveries.ts'

/**
 * Sends an event again, as a new delivery with the same body and idempotency key.
 *
 * The event is sent even if the receipt has a newer event. If the delivery fails, the schedule continues with
 * the newest event. A delivery in progress remains unchanged.
 *
 * @throws {ApiError} `not_found`, also if the delivery belongs to another merchant.
 */
export async function redeliver(
  needs: { db: Database; clock: Clock; random: Random },
  merchant: Wallet,
  messageId: string,
): Promise<Delivery> {
  const { db, clock, random } = needs
  await db.run(renew({ merchant, messageId, nextAt: clock.now(), deliveryId: randomUuid(random) }))
  const delivery = await findDelivery(needs, merchant, messageId)
  if (!delivery) throw new ApiError('not_found', 'Delivery not found')
  await notifyJob(needs, jobNames.deliverWebhooks)
  return delivery
}

/** A newer event never supersedes a delivery in cycle 0. */
const renew = statement({
  name: 'renew-message',
  text: `UPDATE outbox_message SET state = 'pending', superseded_by = NULL, settled_at = NULL, cycle = 0,
      delivery_id = :deliveryId, next_at = :nextAt
    WHERE merchant = :merchant AND id = :messageId AND claimed_until <= :nextAt`,
})

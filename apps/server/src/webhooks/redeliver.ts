import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database/database.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { statement } from '../platform/database/statement.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { type Delivery, findDelivery } from './list-deliveries.ts'

/**
 * Sends a notification once more, soon: the same body under the same idempotency key, as a delivery of its
 * own. It goes even where a newer one of the receipt exists, for that is what was asked for; if it fails, the
 * schedule goes on with whichever is the newest. One that is being sent this very moment is left alone.
 *
 * @throws {Refusal} `not_found`, also for another merchant's.
 */
export async function redeliver(
  needs: { db: Database; clock: Clock; random: Random },
  merchant: Wallet,
  noticeId: string,
): Promise<Delivery> {
  const { db, clock, random } = needs
  await db.run(renew({ merchant, noticeId, nextAt: clock.now(), deliveryId: randomUuid(random) }))
  const delivery = await findDelivery(needs, merchant, noticeId)
  if (!delivery) throw new Refusal('not_found', 'Delivery not found')
  await notifyJob(db, jobNames.deliverWebhooks)
  return delivery
}

/** Cycle 0 is what newer notices do not stand in for. */
const renew = statement({
  name: 'renew-notice',
  text: `UPDATE notice SET state = 'pending', superseded_by = NULL, settled_at = NULL, cycle = 0,
      delivery_id = :deliveryId, next_at = :nextAt
    WHERE merchant = :merchant AND id = :noticeId AND claimed_until <= :nextAt`,
})

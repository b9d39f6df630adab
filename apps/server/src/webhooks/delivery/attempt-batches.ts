import type { Random } from '../../kernel/random.ts'
import { Batches } from '../../kernel/turns/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { type ClaimedDelivery, type DeliveryAttempt, isDelivered } from '../queued-delivery.ts'
import { settleAttempt } from './settle-attempt.ts'

type Ended = { readonly notice: ClaimedDelivery; readonly attempt: DeliveryAttempt }

/**
 * Attempts as they are written down: those that have delivered their notice together, where they end at the same time, one
 * statement and one commit for up to 256. What follows from a failed one is judged in a transaction of its own, and
 * where merchants are spread over machines so is each; so is one of a later cycle, whose row may be held by a step of the
 * watcher that supersedes it: no other is to wait for that.
 */
export class AttemptBatches {
  readonly #needs: { readonly db: Database; readonly random: Random }
  readonly #batches: Batches<Ended, void>
  readonly #isOnCluster: () => Promise<boolean>

  /** @param isOnCluster - Whether merchants are spread over machines. */
  constructor(
    needs: { readonly db: Database; readonly random: Random },
    isOnCluster: () => Promise<boolean>,
  ) {
    this.#needs = needs
    this.#isOnCluster = isOnCluster
    this.#batches = new Batches({
      most: 256,
      atOnce: 2,
      keyOf: ({ notice: { merchant, id } }) => `${merchant} ${id}`,
      together: (ended) => settleDelivered(needs.db, ended),
      alone: ({ notice, attempt }) => settleAttempt(needs, notice, attempt),
    })
  }

  /** Writes an attempt down with what follows from it, if its claim still stands; else nothing, as `settleAttempt`. */
  async settle(notice: ClaimedDelivery, attempt: DeliveryAttempt): Promise<void> {
    const isTogether = isDelivered(attempt) && notice.cycle === 0 && !(await this.#isOnCluster())
    if (isTogether) return this.#batches.do({ notice, attempt })
    return settleAttempt(this.#needs, notice, attempt)
  }
}

/**
 * Settles delivered notices of any merchants as `settleAttempt` settles one, and adds their attempts: of those whose
 * claim still stands. No two are the same notice.
 */
async function settleDelivered(db: Database, ended: readonly Ended[]): Promise<undefined[]> {
  const each = ended.map(({ notice, attempt }) => ({
    merchant: notice.merchant,
    id: notice.id,
    claimToken: notice.claimToken,
    attempt: notice.attemptCount + 1,
    deliveryId: notice.deliveryId,
    startedAt: attempt.startedAt,
    endedAt: attempt.endedAt,
    status: attempt.status,
    exchange: attempt.exchange && JSON.stringify(attempt.exchange),
  }))
  await db.run(settle({ each }))
  return ended.map(() => undefined)
}

/** Every row carries its own merchant, and what follows from it is joined by merchant and id. */
const settle = statement({
  name: 'settle-delivered-notices',
  text: `WITH sent AS (
      SELECT * FROM unnest(:each.merchant::text[], :each.id::text[], :each.claimToken::text[], :each.attempt::int[],
        :each.deliveryId::text[], :each.startedAt::int8[], :each.endedAt::int8[], :each.status::int[],
        :each.exchange::text[])
        AS each (merchant, id, claim_token, attempt, delivery_id, started_at, ended_at, status, exchange)),
    settled AS (
      UPDATE notice SET attempt_count = sent.attempt, claimed_until = 0, claim_token = NULL,
        state = CASE WHEN notice.state = 'pending' THEN 'delivered' ELSE notice.state END,
        superseded_by = CASE WHEN notice.state = 'pending' THEN NULL ELSE notice.superseded_by END,
        settled_at = CASE WHEN notice.state = 'pending' THEN sent.ended_at ELSE notice.settled_at END
      FROM sent
      WHERE notice.merchant = ANY(:each.merchant::text[]) AND notice.merchant = sent.merchant
        AND notice.id = sent.id AND notice.claim_token = sent.claim_token
      RETURNING notice.merchant, notice.id),
    recorded AS (
      INSERT INTO delivery_attempt
        (merchant, notice_id, attempt, delivery_id, started_at, duration_ms, status, fault, exchange)
      SELECT sent.merchant, sent.id, sent.attempt, sent.delivery_id, sent.started_at,
        greatest(0, sent.ended_at - sent.started_at), sent.status, NULL, sent.exchange::jsonb
      FROM sent JOIN settled ON settled.merchant = sent.merchant AND settled.id = sent.id)
    SELECT count(*) FROM settled`,
})

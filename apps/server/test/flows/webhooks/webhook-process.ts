import { systemClock } from '../../../src/kernel/clock.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi } from '../../support/api/start-api.ts'
import { webhookMasterKey } from '../../support/api/webhooks.ts'
import { holdTransaction } from '../../support/database/hold-transaction.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { TestClock } from '../../support/test-clock.ts'

export type WebhookProcess = {
  nudge(): void
  stop(): Promise<void>
  /** Ends the process as `kill -9` does: no further statement reaches the database. */
  kill(): Promise<void>
  isDead(): boolean
}

/**
 * Starts a process, which runs in real time without `clock`. The process dies at its `deathAt`-th statement.
 */
export async function startWebhookProcess(
  database: TestDatabase,
  {
    clock,
    deathAt = Number.POSITIVE_INFINITY,
    between = (db) => db,
  }: {
    clock?: TestClock
    deathAt?: number | undefined
    between?: (db: Database) => Database
  } = {},
): Promise<WebhookProcess> {
  const mortal = makeMortal(deathAt)
  const api = await startApi({
    beside: { database, clock: clock ?? new TestClock() },
    ...(!clock && { realTime: systemClock }),
    between: (db) => between(mortal.wrap(db)),
    masterKey: webhookMasterKey,
    webhooks: 'sent',
    running: [jobNames.deliverWebhooks],
  })
  return {
    nudge: () => api.nudge(jobNames.deliverWebhooks),
    stop: api.stop,
    kill() {
      mortal.die()
      return api.stop()
    },
    isDead: mortal.isDead,
  }
}

const opening = /recovery-seed|lost-time|last-work/

/** Returns a database that rejects every statement after `die`, and from the `deathAt`-th statement on. */
function makeMortal(deathAt: number) {
  let count = 0
  let isDead = false
  const live = async <T>(work: () => Promise<T>): Promise<T> => {
    count += 1
    isDead ||= count >= deathAt
    if (isDead) throw new Error('this process is dead')
    return work()
  }
  const wrap = (inner: Database): Database => ({
    ...wrapDatabase(inner, ({ name }, run) => (opening.test(name) ? run() : live(run))),
    transaction: (work) =>
      inner.transaction(async (tx) => {
        const result = await work(wrap(tx))
        return live(async () => result)
      }),
  })
  return {
    wrap,
    die: () => {
      isDead = true
    },
    isDead: () => isDead,
  }
}

/** Returns outbox messages that violate the parts of invariants 4 to 6 that concern only webhooks. */
export function findBrokenDeliveries(db: Database, now: number): Promise<{ rule: string; id: string }[]> {
  return db.rows(
    {
      name: 'test-find-broken-messages',
      text: `SELECT 'pending without a next time' AS rule, id FROM outbox_message WHERE state = 'pending' AND next_at IS NULL
        UNION ALL SELECT 'superseded by nobody later', n.id FROM outbox_message n WHERE state = 'superseded' AND NOT EXISTS (
          SELECT 1 FROM outbox_message later WHERE later.merchant = n.merchant AND later.subject = n.subject
            AND later.id = n.superseded_by AND later.sequence > n.sequence)
        UNION ALL SELECT 'exhausted before day 10', id FROM outbox_message
          WHERE state = 'exhausted' AND settled_at < created_at + 864000000
        UNION ALL SELECT 'settled without a time', id FROM outbox_message WHERE (state = 'pending') <> (settled_at IS NULL)
        UNION ALL SELECT 'delivered without a 2xx', n.id FROM outbox_message n WHERE state = 'delivered' AND NOT EXISTS (
          SELECT 1 FROM delivery_attempt a WHERE a.merchant = n.merchant AND a.message_id = n.id
            AND a.status BETWEEN 200 AND 299)
        UNION ALL SELECT 'attempts miscounted', n.id FROM outbox_message n WHERE attempt_count <> (
          SELECT count(*) FROM delivery_attempt a WHERE a.merchant = n.merchant AND a.message_id = n.id)
        UNION ALL SELECT 'claimed for ever', id FROM outbox_message WHERE claimed_until > $1::int8 + 60000`,
    },
    [now],
  )
}

export function holdRows(db: Database, merchants: readonly { readonly wallet: string }[]) {
  const text = 'UPDATE outbox_message SET cycle = cycle WHERE merchant = ANY($1)'
  return holdTransaction(db, text, [merchants.map(({ wallet }) => wallet)])
}

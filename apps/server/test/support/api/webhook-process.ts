import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { webhookIdempotencyKey } from '@sluice/protocol/webhook.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { apiKeyContext, Secrets } from '../../../src/platform/secrets.ts'
import { enqueueDelivery } from '../../../src/webhooks/enqueue-delivery.ts'
import { holdTransaction } from '../database/hold-transaction.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { wrapDatabase } from '../database/wrap-database.ts'
import { registerSecrets } from '../secrets/secret-register.ts'
import { TestClock } from '../test-clock.ts'
import { startApi } from './start-api.ts'

/** What keys of these merchants are sealed with. */
export const webhookMasterKey = 'a master key for tests that is long enough'
const secrets = new Secrets(webhookMasterKey, systemRandom)

/** A process that does nothing but deliver. */
export type WebhookProcess = {
  nudge(): void
  /** Ends in good order. */
  stop(): Promise<void>
  /** Ends as kill -9 does: nothing more reaches the database. */
  kill(): Promise<void>
  isDead(): boolean
}

/** Starts one; by real time where it is given no clock. It is dead from its `deathAt`-th statement on. */
export async function startWebhookProcess(
  database: TestDatabase,
  {
    clock,
    deathAt = Number.POSITIVE_INFINITY,
    between = (db) => db,
  }: {
    clock?: TestClock
    deathAt?: number | undefined
    /** Stands between it and its database. */
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

/** A database that a process can be cut off from: after `die`, or from the `deathAt`-th statement on, nothing gets through. */
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
    ...wrapDatabase(inner, (_, run) => live(run)),
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

let merchantCount = 0

/** A merchant of its own with a key. */
export function makeWebhookMerchant() {
  merchantCount += 1
  const hex = (BigInt(process.pid) * 1_000_000n + BigInt(merchantCount)).toString(16).padStart(40, '0')
  const wallet = parseWallet(`0x${hex}`) as Wallet
  const keyId = `key-${merchantCount}`
  const apiKey = `sk_test_${merchantCount}-of-${process.pid}`
  registerSecrets(apiKey)
  return { wallet, keyId, apiKey, sealedKey: secrets.seal(apiKey, apiKeyContext(wallet, keyId)) }
}

/** Owes `merchant` a notice about `subject` at `url`, committed. */
export async function oweNotice(
  db: Database,
  clock: { now(): UnixMs },
  merchant: ReturnType<typeof makeWebhookMerchant>,
  notice: { url: string; subject?: string; sequence?: bigint; body?: string },
): Promise<string> {
  const { url, subject = 'R-1', sequence = 1n, body = JSON.stringify({ subject, note: 'größer €' }) } = notice
  const { wallet, keyId, sealedKey } = merchant
  const idempotencyKey = webhookIdempotencyKey(subject, 'paid', `0x${sequence}`)
  const owed = { subject, brandKey: 'service', url, idempotencyKey, sequence, body }
  const now = () => clock.now()
  return db.transaction(async (tx) => {
    await tx.run(addMerchant, [wallet])
    return enqueueDelivery(
      { tx, clock: { now, after: () => () => {} }, random: systemRandom },
      { merchant: wallet, keyId, sealedKey, ...owed },
    )
  })
}

/** As everybody has it who has a key. */
const addMerchant = {
  name: 'test-add-webhook-merchant',
  text: `INSERT INTO merchant (merchant, name, created_at) VALUES ($1, '', 0) ON CONFLICT DO NOTHING`,
}

/** Makes the leases of dead processes end now: their time is the database's and cannot be moved. */
export async function endLeases(db: Database): Promise<void> {
  await db.run({ name: 'test-end-leases', text: `UPDATE lease SET held_until = 'epoch'` })
}

/** Waits for an effect of work outside this process, letting timers that are due on a test's clock run meanwhile. */
export async function until(
  clock: { advance(ms: number): Promise<void> },
  isSo: () => boolean | Promise<boolean>,
  what: string,
  /** How far the clock moves between two looks. */
  stepMs = 0,
): Promise<void> {
  const patience = Date.now() + 60_000
  while (!(await isSo())) {
    if (Date.now() > patience) throw new Error(`waited in vain: ${what}`)
    await clock.advance(stepMs)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Notices that break what must hold after every fault: invariants 4 to 6 as far as webhooks alone can tell. */
export function findBrokenDeliveries(db: Database, now: number): Promise<{ rule: string; id: string }[]> {
  return db.rows(
    {
      name: 'test-find-broken-notices',
      text: `SELECT 'pending without a next time' AS rule, id FROM notice WHERE state = 'pending' AND next_at IS NULL
        UNION ALL SELECT 'superseded by nobody later', n.id FROM notice n WHERE state = 'superseded' AND NOT EXISTS (
          SELECT 1 FROM notice later WHERE later.merchant = n.merchant AND later.subject = n.subject
            AND later.id = n.superseded_by AND later.sequence > n.sequence)
        UNION ALL SELECT 'exhausted before day 10', id FROM notice
          WHERE state = 'exhausted' AND settled_at < created_at + 864000000
        UNION ALL SELECT 'settled without a time', id FROM notice WHERE (state = 'pending') <> (settled_at IS NULL)
        UNION ALL SELECT 'delivered without a 2xx', n.id FROM notice n WHERE state = 'delivered' AND NOT EXISTS (
          SELECT 1 FROM delivery_attempt a WHERE a.merchant = n.merchant AND a.notice_id = n.id
            AND a.status BETWEEN 200 AND 299)
        UNION ALL SELECT 'attempts miscounted', n.id FROM notice n WHERE attempt_count <> (
          SELECT count(*) FROM delivery_attempt a WHERE a.merchant = n.merchant AND a.notice_id = n.id)
        UNION ALL SELECT 'claimed for ever', id FROM notice WHERE claimed_until > $1::int8 + 60000`,
    },
    [now],
  )
}

/** Holds the rows of merchants' notices, as a step of the watcher does that supersedes them, until they are let go of. */
export function holdRows(db: Database, merchants: readonly { readonly wallet: string }[]) {
  const text = 'UPDATE notice SET cycle = cycle WHERE merchant = ANY($1)'
  return holdTransaction(db, text, [merchants.map(({ wallet }) => wallet)])
}

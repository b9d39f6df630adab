import { laneOf } from '../../../apps/server/src/platform/jobs/lane.ts'
import { apiKeyContext } from '../../../apps/server/src/platform/secrets.ts'
import { insertReceipts } from '../../../apps/server/src/receipts/making/insert-receipts.ts'
import { findReceipt } from '../../../apps/server/src/receipts/store.ts'
import type { Bench } from '../open-bench.ts'
import { receiptOfReceiver, receiverHost, receiverMerchant } from './receiver-hosts.ts'

const atOnce = 500
const keyId = 'bench-key'
const apiKey = 'sk_test_of_the_webhooks_bench'

/** Where the webhooks go. */
export type Receivers = { readonly count: number; readonly port: number }

/** Pending receipts of the receivers' merchants in turns, after the bench's sample; the `n`th tells the `n`th receiver. */
export async function fillReceivers(bench: Bench, receivers: Receivers, count: number): Promise<void> {
  const { db, merchant: sampleMerchant, id: sampleId } = bench
  const sample = await findReceipt(db, sampleMerchant, sampleId)
  if (!sample) throw new Error('the receipt that others are made after is gone')
  for (let from = 0; from < count; from += atOnce) {
    const length = Math.min(atOnce, count - from)
    const receipts = Array.from({ length }, (_, i) => {
      const n = from + i
      const { merchant, url, sealedKey } = targetOf(bench, receivers, n)
      return { ...sample, merchant, id: receiptOfReceiver(n), webhookUrl: url, keyId, sealedKey }
    })
    await insertReceipts(db, receipts)
  }
}

/** Owes as many webhooks as one commit, each the first of its subject, as a service does that was away for a while. */
export async function oweWebhooks(
  bench: Bench,
  receivers: Receivers,
  { run, count, body }: { readonly run: string; readonly count: number; readonly body: string },
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n)
  const targets = numbers.map((n) => targetOf(bench, receivers, n))
  await bench.db.transaction(async (tx) => {
    await tx.run(noteWork, [
      targets.map(({ merchant }) => merchant),
      targets.map(({ merchant }) => laneOf(merchant)),
    ])
    await tx.run(owe, [
      targets.map(({ merchant }) => merchant),
      numbers.map((n) => `${run}-${n}`),
      targets.map(({ merchant }) => laneOf(merchant)),
      targets.map(({ url }) => url),
      targets.map(({ url }) => new URL(url).host),
      targets.map(({ sealedKey }) => sealedKey),
      keyId,
      body,
      Date.now(),
    ])
  })
}

function targetOf({ secrets }: Bench, { count, port }: Receivers, n: number) {
  const receiver = n % count
  const merchant = receiverMerchant(receiver)
  const url = `http://${receiverHost(receiver)}:${port}/hook`
  return { merchant, url, sealedKey: secrets.seal(apiKey, apiKeyContext(merchant, keyId)) }
}

const limitMs = 120_000

const noteWork = {
  name: 'bench-note-work',
  limitMs,
  text: `INSERT INTO work_due (kind, merchant, lane)
    SELECT kind, merchant, lane FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::smallint[]) AS each (merchant, lane))
      AS each, unnest(ARRAY['events', 'notices']) AS kind
    ON CONFLICT (kind, merchant) DO UPDATE SET closing_at = NULL`,
}

const owe = {
  name: 'bench-owe-webhooks',
  limitMs,
  text: `WITH each AS (
      SELECT *, gen_random_uuid()::text AS id FROM unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::text[],
        $6::text[]) AS each (merchant, subject, lane, url, host, sealed_key)),
    told AS (
      INSERT INTO event (merchant, notice_id, subject, idempotency_key, body, created_at)
      SELECT merchant, id, subject, subject, $8, $9::int8 FROM each)
    INSERT INTO notice (merchant, id, lane, subject, brand_key, url, host, key_id, sealed_key, idempotency_key, body,
      sequence, state, delivery_id, attempt_count, cycle, next_at, claimed_until, created_at)
    SELECT merchant, id, lane, subject, 'service', url, host, $7, sealed_key, subject, $8, 1, 'pending',
      gen_random_uuid()::text, 0, 0, $9::int8, 0, $9::int8 FROM each`,
}

import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../apps/server/src/platform/database/database.ts'

/** Receipts of one merchant to create: `order-1` to `order-<count>`, evenly distributed over a period. */
export type Filling = {
  readonly merchant: Wallet
  readonly chainId: number
  readonly count: number
  /** The time of the first receipt in Unix milliseconds, and the period. */
  readonly begin: number
  readonly spanMs: number
}

const limitMs = 1_200_000

/** Inserts receipts with history, search terms, a payment for every second one, and changes of the counters. */
export async function fillReceipts(db: Database, filling: Filling): Promise<void> {
  const { merchant, chainId, count, begin, spanMs } = filling
  await db.transaction(async (tx) => {
    await tx.run({ name: 'fill-without-waiting', text: 'SET LOCAL synchronous_commit = off' })
    await tx.run({ name: 'fill-receipts', limitMs, text: receipts }, [
      merchant,
      count,
      begin,
      Math.floor(spanMs / count),
    ])
    await tx.run({ name: 'fill-history', limitMs, text: history }, [merchant])
    await tx.run({ name: 'fill-receipt-terms', limitMs, text: terms }, [merchant])
    await tx.run({ name: 'fill-payments', limitMs, text: payments }, [merchant, chainId, count])
    await tx.run({ name: 'fill-tally-changes', limitMs, text: tallyChanges }, [merchant])
  })
}

const receipts = `INSERT INTO receipt (merchant, id, status, origin, format, currency, total_cents, fee_cents,
    fee_hundredths, native_total_cents, lines, brand_key, brand_name, provider_email, metadata, transaction_id,
    content_hash, created_at, updated_at, history_count)
  SELECT $1::text, 'order-' || i, CASE WHEN i % 1000 < 700 THEN 'reconciled' WHEN i % 1000 < 850 THEN 'paid'
      WHEN i % 1000 < 950 THEN 'pending' WHEN i % 1000 < 980 THEN 'failed' WHEN i % 1000 < 995 THEN 'refunded'
      ELSE 'refund_requested' END,
    'api', 'native', CASE WHEN i % 10 = 3 THEN 'EUR' ELSE 'USD' END, cents, cents / 200, 50,
    CASE WHEN i % 10 = 3 THEN cents * 9 / 10 ELSE cents END,
    '[{"label": "Espresso beans, 1 kg", "qty": 2, "usd": 3800, "native": 3800}]', 'service', 'Harbour Coffee',
    CASE WHEN i % 3 = 0 THEN 'buyer' || i % 5000 || '@example.com' END,
    jsonb_build_object('order', i, 'channel', CASE WHEN i % 4 = 0 THEN 'till' ELSE 'web' END),
    CASE WHEN i % 2 = 0 THEN 'T-' || i END, 'hash', $3::int8 + i * $4::int8, $3::int8 + i * $4::int8, 1
  FROM (SELECT i, 100 + (hashint8(i)::int8 + 2147483648) % 49900 AS cents
    FROM generate_series(1, $2::int8) AS i) AS numbered`

const history = `INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
  SELECT merchant, id, 1, 'created', 'pending', '{}', created_at FROM receipt
  WHERE merchant = $1 AND id LIKE 'order-%'`

const terms = `INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
  SELECT r.merchant, left(encode(sha256(convert_to(found.term, 'UTF8')), 'hex'), 32), r.created_at, r.id
  FROM receipt AS r, LATERAL (
    SELECT 'email:' || r.provider_email AS term WHERE r.provider_email IS NOT NULL
    UNION ALL SELECT 'reference:' || r.transaction_id WHERE r.transaction_id IS NOT NULL
    UNION ALL SELECT 'metadata:' || value FROM jsonb_each_text(r.metadata)) AS found
  WHERE r.merchant = $1 AND r.id LIKE 'order-%'`

const payments = `INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
    token_address, amount, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at)
  SELECT $1::text, $2::int8, '0x' || lpad(to_hex(i), 8, '0') || lpad(to_hex(i), 56, '0'), 0, '0x', 'order-' || i, 'a',
    'call', 'USDC', '0x', 1, 1, false, 1, '0x', 1, 'credited', 1 FROM generate_series(1, $3::int8, 2) AS i`

const tallyChanges = `INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents,
    native_cents, fee_cents, refunded_cents)
  SELECT merchant, created_at - created_at % 900000, currency, status, count(*), sum(total_cents),
    sum(native_total_cents), sum(fee_cents), 0 FROM receipt
  WHERE merchant = $1 AND id LIKE 'order-%' GROUP BY 1, 2, 3, 4`

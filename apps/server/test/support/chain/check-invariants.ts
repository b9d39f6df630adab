import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Hex } from 'viem'
import { describeDifferences } from '../../../src/audit/audit-money.ts'
import { anvilClient } from '../../../src/local/anvil.ts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import type { SqlValue } from '../../../src/platform/database/columns.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { until } from '../../../src/platform/process/process.ts'
import { edges } from '../../../src/receipts/status.ts'
import { auditWhenReadable } from './audit-chain.ts'

/**
 * Returns one line for each broken rule in an idle database. Rules have the numbers of their invariants; the
 * last rules concern outgoing transactions.
 *
 * @param rpcUrl - Endpoint of the chain, which must have the blocks in which payments were credited.
 * @param options.hasLostPayments - Whether the chain lost payments for a while. In that case, a repeated
 * outgoing transaction may move no money.
 */
export async function findBroken(
  db: Database,
  rpcUrl: string,
  options: { hasLostPayments?: boolean } = {},
): Promise<string[]> {
  const broken = await findBrokenRows(db, options)
  const lost = await findLostBlocks(db, rpcUrl)
  const { differences } = await auditWhenReadable(db, { rpcUrl, contracts: localContracts() })
  return [...broken, ...lost, ...describeDifferences(differences).map((line) => `chain-and-books: ${line}`)]
}

/**
 * Checks the rules that need no chain.
 *
 * @param options.hasLostRows - Whether an older copy took the place of the database. In that case, outgoing
 * transactions may be missing.
 */
export async function findBrokenRows(
  db: Database,
  options: { hasLostPayments?: boolean; hasLostRows?: boolean } = {},
): Promise<string[]> {
  const broken: string[] = []
  for (const [name, text] of Object.entries(rules)) {
    if (name === inVain && options.hasLostPayments) continue
    if (name === noncesWithGap && options.hasLostRows) continue
    const rows = await db.rows<{ what: string }>({ name, text }, valuesOf[name])
    broken.push(...rows.map(({ what }) => `${name}: ${what}`))
  }
  return broken
}

/** Checks invariant 8: the chain has the block of every credited payment. */
async function findLostBlocks(db: Database, rpcUrl: string): Promise<string[]> {
  const text = `SELECT DISTINCT block_number AS number, block_hash AS hash FROM payment
    WHERE state = 'credited'`
  const blocks = await db.rows<{ number: bigint; hash: string }>({ name: '', text })
  const client = anvilClient(rpcUrl)
  // The chain may be restarting after a kill.
  const isThere = async () => (await client.getBlockNumber().catch(() => undefined)) !== undefined
  if (!(await until(isThere, 60_000))) return ['8: the chain does not answer']
  const found = await Promise.all(
    blocks.map(({ hash }) => client.getBlock({ blockHash: hash as Hex }).catch(() => undefined)),
  )
  return blocks
    .filter(({ number, hash }, i) => found[i]?.number !== number || found[i]?.hash !== hash)
    .map(({ number, hash }) => `8: credited in block ${number} ${hash}, which the chain does not have`)
}

const settled = `('paid', 'reconciled', 'refund_requested', 'refunded')`
const noncesWithGap = 'own-nonces-have-a-gap'
const inVain = 'outgoing-transaction-in-vain'
const edgePairs = Object.values(edges).flatMap((byStatus) => Object.entries(byStatus))
const valuesOf: Readonly<Record<string, readonly SqlValue[]>> = {
  '2-7-paid-without-enough': [
    tokenKinds.map(({ symbol }) => symbol),
    tokenKinds.map(({ decimals }) => decimals),
  ],
  '3-17-edge-not-in-the-table': [edgePairs.map(([from]) => from), edgePairs.map(([, to]) => to)],
}

const rules: Readonly<Record<string, string>> = {
  '1-credited-twice': `SELECT concat_ws(' ', chain, tx_hash, log_index, address) AS what FROM payment
    WHERE credited_at IS NOT NULL GROUP BY chain, tx_hash, log_index, address HAVING count(*) > 1`,
  '1-claims-and-credits-differ': `
    WITH credits AS MATERIALIZED (SELECT * FROM payment WHERE credited_at IS NOT NULL),
      claims AS MATERIALIZED (SELECT * FROM log_claim)
    SELECT concat_ws(' ', 'credit', p.tx_hash, p.log_index, 'claim', c.tx_hash, c.log_index) AS what
    FROM credits p FULL JOIN claims c ON c.chain = p.chain
      AND c.tx_hash = p.tx_hash AND c.log_index = p.log_index AND c.address = p.address AND c.merchant = p.merchant
    WHERE p.tx_hash IS NULL OR c.tx_hash IS NULL`,
  '2-7-paid-without-enough': `
    SELECT r.id || ' is ' || r.status AS what FROM receipt r WHERE r.status IN ${settled} AND (
      SELECT coalesce(sum(p.amount * p.rate_e8 * 10::numeric ^ (18 - t.decimals)), 0) * 1001 / 1000
      FROM payment p JOIN unnest($1::text[], $2::int8[]) AS t (token, decimals) ON t.token = p.token
      WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.credited_at IS NOT NULL
    ) < (r.total_cents + r.fee_cents) * 10::numeric ^ 24 AND NOT EXISTS (
      SELECT 1 FROM receipt_history h WHERE h.merchant = r.merchant AND h.receipt_id = r.id
        AND (h.detail ->> 'trigger' = 'checkout_success' AND h.detail ->> 'by' IS NOT NULL
          OR h.detail ->> 'trigger' = 'payment_verified' AND h.detail ->> 'provider' IS NOT NULL))`,
  '7-to-a-split-of-another': `SELECT a.id AS what FROM attempt a LEFT JOIN split s ON s.merchant = a.merchant
      AND s.version = a.split_version AND s.address = a.split_address WHERE s.address IS NULL`,
  '9-order-and-receipt-differ': `
    SELECT o.id AS what FROM customer_order o JOIN receipt r ON r.merchant = o.merchant AND r.id = o.id
    WHERE o.total_cents <> o.subtotal_cents + o.tax_cents OR (o.total_cents <> r.total_cents AND NOT EXISTS (
      SELECT 1 FROM receipt_history h WHERE h.merchant = r.merchant AND h.receipt_id = r.id AND h.kind = 'edited'))`,
  '12-order-and-hold-differ': `
    SELECT concat_ws(' ', o.id, o.stock, h.state) AS what FROM customer_order o JOIN stock_reservation h
      ON h.merchant = o.merchant AND h.holder = o.id
    WHERE h.state IS DISTINCT FROM o.stock OR h.qty <> (SELECT sum((item->>'qty')::int8)
      FROM jsonb_array_elements(o.items) AS item WHERE item->>'productId' = h.product_id)`,
  '12-sold-and-not-taken': `
    SELECT o.id AS what FROM customer_order o JOIN receipt r ON r.merchant = o.merchant AND r.id = o.id
    WHERE r.status IN ${settled} AND o.stock <> 'committed'`,
  '3-17-edge-not-in-the-table': `
    SELECT concat_ws(' ', h.receipt_id, h.from_status, '>', h.to_status) AS what FROM receipt_history h
    WHERE h.kind = 'status' AND NOT EXISTS (SELECT 1 FROM unnest($1::text[], $2::text[]) AS edge (a, b)
      WHERE edge.a = h.from_status AND edge.b = h.to_status)`,
  '17-history-has-a-gap': `SELECT r.id AS what FROM receipt r WHERE r.history_count <> (
      SELECT count(*) FROM receipt_history h WHERE h.merchant = r.merchant AND h.receipt_id = r.id)
    OR r.history_count <> (
      SELECT max(seq) FROM receipt_history h WHERE h.merchant = r.merchant AND h.receipt_id = r.id)`,
  '17-last-edge-is-not-the-status': `SELECT r.id AS what FROM receipt r WHERE r.status <> (
      SELECT to_status FROM receipt_history h WHERE h.merchant = r.merchant AND h.receipt_id = r.id
        AND to_status IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
  '17-edge-from-another-status': `SELECT concat_ws(' ', receipt_id, seq) AS what FROM (
      SELECT *, lag(to_status) OVER (PARTITION BY merchant, receipt_id ORDER BY seq) AS before
      FROM receipt_history WHERE to_status IS NOT NULL) AS edge
    WHERE kind = 'status' AND before IS DISTINCT FROM from_status`,
  '4-change-without-a-webhook': `
    SELECT concat_ws(' ', h.receipt_id, h.to_status) AS what FROM receipt_history h
    JOIN receipt r ON r.merchant = h.merchant AND r.id = h.receipt_id
    WHERE h.kind = 'status' AND r.webhook_url IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbox_message n
      WHERE n.merchant = h.merchant AND n.subject = h.receipt_id AND n.sequence = h.seq)`,
  '4-webhook-without-a-change': `
    SELECT n.idempotency_key AS what FROM outbox_message n WHERE n.idempotency_key !~ ':((orphaned|restored|replaced|refund-missing):0x[0-9a-f]{64}(:[0-9]+)?|(delivery-overdue|provider-reversed):[0-9A-Z]{26})$'
    AND NOT EXISTS (SELECT 1 FROM receipt_history h WHERE h.merchant = n.merchant AND h.receipt_id = n.subject
      AND h.seq = n.sequence AND h.kind = 'status')`,
  '4-change-without-an-event': `
    SELECT concat_ws(' ', h.receipt_id, h.to_status) AS what FROM receipt_history h
    WHERE h.kind = 'status' AND NOT EXISTS (SELECT 1 FROM event e WHERE e.merchant = h.merchant
      AND e.subject = h.receipt_id AND (e.body::jsonb ->> 'sequence')::int8 = h.seq)`,
  '4-feed-is-broken': `SELECT concat_ws(' ', merchant, number) AS what FROM (SELECT *,
      lag(number) OVER (PARTITION BY merchant ORDER BY number) AS before,
      lag(hash) OVER (PARTITION BY merchant ORDER BY number) AS before_hash FROM event WHERE number IS NOT NULL) e
    WHERE number <> before + 1 OR previous_hash <> before_hash
      OR hash <> encode(sha256(convert_to(previous_hash || body, 'UTF8')), 'hex')`,
  '5-webhook-vanished': `
    SELECT concat_ws(' ', n.idempotency_key, n.state) AS what FROM outbox_message n WHERE NOT CASE n.state
      WHEN 'delivered' THEN EXISTS (SELECT 1 FROM delivery_attempt a WHERE a.merchant = n.merchant
        AND a.message_id = n.id AND a.status BETWEEN 200 AND 299)
      WHEN 'superseded' THEN EXISTS (SELECT 1 FROM outbox_message later WHERE later.merchant = n.merchant
        AND later.subject = n.subject AND later.id = n.superseded_by AND later.sequence > n.sequence)
      WHEN 'exhausted' THEN n.settled_at >= n.created_at + 864000000
      ELSE n.next_at > 0 END`,
  '6-another-key-in-the-body': `
    SELECT idempotency_key AS what FROM outbox_message WHERE body::jsonb ->> 'idempotencyKey' <> idempotency_key
    UNION ALL SELECT idempotency_key FROM outbox_message GROUP BY merchant, idempotency_key HAVING count(*) > 1`,
  '9-lines-do-not-add-up': `SELECT id AS what FROM receipt WHERE total_cents <>
    (SELECT sum((line ->> 'usd')::int8) FROM jsonb_array_elements(lines) AS line)`,
  '11-ledger-is-not-the-sum-of-its-rows': `
    SELECT l.token_address AS what FROM split_ledger l WHERE l.received <> (
      SELECT coalesce(sum(a.amount), 0) FROM split_arrival a WHERE a.merchant = l.merchant AND a.chain = l.chain
        AND a.split_address = l.split_address AND a.token_address = l.token_address AND a.orphaned_at IS NULL)`,
  '11-parts-and-remainder-do-not-add-up': `
    SELECT l.token_address || ' leaves ' || rest AS what FROM split_ledger l
    JOIN split s ON s.merchant = l.merchant AND s.address = l.split_address,
    LATERAL (SELECT l.level - sum(value::numeric) - (l.unit_kept_for IS NOT NULL)::int AS rest FROM jsonb_each_text(l.released)) AS sums
    WHERE rest < 0 OR rest >= jsonb_array_length(s.recipients)`,
  '11-refunded-more-than-paid': `
    SELECT r.id AS what FROM receipt r JOIN refund f ON f.merchant = r.merchant AND f.receipt_id = r.id
    WHERE f.kind = 'price' AND f.error IS NULL
    GROUP BY r.merchant, r.id HAVING sum(f.usd_cents) > r.total_cents + r.fee_cents`,
  '11-refunded-and-not-given-back': `
    SELECT r.id AS what FROM receipt r LEFT JOIN refund f ON f.merchant = r.merchant AND f.receipt_id = r.id
      AND f.kind = 'price' AND (f.tx_hash IS NULL OR f.mark = 'recipient_validated')
    WHERE r.status = 'refunded'
    GROUP BY r.merchant, r.id HAVING coalesce(sum(f.usd_cents), 0) < r.total_cents + r.fee_cents`,
  '11-applied-in-no-receipt': `
    SELECT u.id AS what FROM unmatched_payment u WHERE u.state = 'applied' AND NOT EXISTS (
      SELECT 1 FROM payment p WHERE p.merchant = u.merchant AND p.chain = u.chain AND p.tx_hash = u.tx_hash
        AND p.log_index = u.log_index AND p.receipt_id = u.applied_to AND p.credited_at IS NOT NULL)`,
  '11-refunded-case-without-a-refund': `
    SELECT u.id AS what FROM unmatched_payment u WHERE u.state = 'refunded' AND NOT EXISTS (
      SELECT 1 FROM refund f WHERE f.merchant = u.merchant AND f.id = u.refund_id AND f.units = u.amount
        AND (f.tx_hash IS NULL OR f.mark = 'recipient_validated'))`,
  '11-money-in-no-place': `SELECT concat_ws(' ', receipt_id, tx_hash, state) AS what FROM payment
    WHERE state NOT IN ('credited', 'unmatched', 'orphaned')`,
  [noncesWithGap]: `SELECT sender AS what FROM outgoing_transaction GROUP BY chain, sender
    HAVING max(nonce) - min(nonce) + 1 <> count(DISTINCT nonce)`,
  'own-nonce-mined-twice': `
    SELECT concat_ws(' ', sender, nonce) AS what FROM outgoing_transaction WHERE state IN ('mined', 'reverted')
    GROUP BY chain, sender, nonce HAVING count(*) > 1`,
  [inVain]: `WITH arrivals AS MATERIALIZED (SELECT chain, tx_hash, distributed_tx FROM split_arrival)
    SELECT concat_ws(' ', o.kind, o.nonce, o.state) AS what FROM outgoing_transaction o
    WHERE o.state = 'reverted'
      OR (o.state = 'mined' AND o.kind = 'sweep' AND NOT EXISTS (
        SELECT 1 FROM arrivals a WHERE a.chain = o.chain AND a.tx_hash = o.hash))
      OR (o.state = 'mined' AND o.kind = 'distribute' AND NOT EXISTS (
        SELECT 1 FROM arrivals a WHERE a.chain = o.chain AND a.distributed_tx = o.hash))`,
}

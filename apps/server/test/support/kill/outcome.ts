import type { Shop } from './shop.ts'

type Facts = Readonly<Record<string, unknown>>

/** State of a sale, without times and hashes, so that two runs of a script can be compared. */
export type SaleOutcome = {
  readonly receipt: Facts
  /** Kinds of the history's rows in order, with the statuses of a transition. */
  readonly history: readonly string[]
  readonly payments: readonly Facts[]
  readonly owed: readonly string[]
  readonly reported: readonly string[]
  readonly arrivals: readonly Facts[]
}

export type RunOutcome = {
  readonly sales: Readonly<Record<string, SaleOutcome>>
  readonly sent: Readonly<Record<string, number>>
  /** Amounts that the splits received and released, by token. */
  readonly ledgers: readonly Facts[]
}

export async function readOutcome(shop: Shop, ids: readonly string[]): Promise<RunOutcome> {
  const reported = await shop.receivedKeys()
  const entries: [string, SaleOutcome][] = []
  for (const id of ids) entries.push([id, await readSale(shop, id, reported)])
  const sent = await shop.db.rows<{ kind: string; count: bigint }>({ name: '', text: countSent })
  const ledgers = await shop.db.rows<Facts>({ name: '', text: listLedgers }, [shop.local.merchant.address])
  return {
    sales: Object.fromEntries(entries),
    sent: Object.fromEntries(sent.map(({ kind, count }) => [kind, Number(count)])),
    ledgers,
  }
}

async function readSale({ db, local }: Shop, id: string, reported: readonly string[]): Promise<SaleOutcome> {
  const ask = <Row extends object = Facts>(text: string) =>
    db.rows<Row>({ name: '', text }, [local.merchant.address, id])
  const [receipt] = await ask<{ transaction_hash: string | null; seen: object }>(findReceipt)
  if (!receipt) throw new Error(`there is no receipt ${id}`)
  const hash = receipt.transaction_hash ?? 'none'
  const plain = (text: string) =>
    text.replaceAll(hash, '<its payment>').replace(/:(orphaned|restored):0x[0-9a-f]{64}/, ':$1:<its block>')
  const history = await ask<{ what: string }>(listHistory)
  const owed = await ask<{ what: string }>(listOwed)
  return {
    receipt: { ...receipt.seen, hasTransaction: receipt.transaction_hash !== null },
    history: history.map(({ what }) => what),
    payments: await ask(listPayments),
    owed: owed.map(({ what }) => plain(what)),
    reported: reported
      .filter((each) => each.startsWith(`receipt-status:${id}:`))
      .map(plain)
      .sort(),
    arrivals: await ask(listArrivals),
  }
}

const findReceipt = `
  SELECT transaction_hash, jsonb_build_object('status', status, 'total', total_cents, 'lines', lines,
    'token', token, 'paid', paid_units::text, 'buyer', buyer_wallet IS NOT NULL, 'splitVersion', split_version,
    'payment', payment - 'blockNumber' - 'finality') AS seen
  FROM receipt WHERE merchant = $1 AND id = $2`

const listHistory = `SELECT concat_ws(' ', kind, from_status, '>' || to_status) AS what FROM receipt_history
  WHERE merchant = $1 AND receipt_id = $2 ORDER BY seq`

const listPayments = `
  SELECT p.kind, p.token, p.amount::text, p.rate_e8::text, p.is_late, p.state,
    p.swept_tx IS NOT NULL AS is_swept, count(c.tx_hash)::int AS claims
  FROM payment p LEFT JOIN log_claim c ON c.chain = p.chain AND c.tx_hash = p.tx_hash
    AND c.log_index = p.log_index AND c.address = p.address
  WHERE p.merchant = $1 AND p.receipt_id = $2
  GROUP BY p.merchant, p.chain, p.tx_hash, p.log_index, p.address ORDER BY p.block_number, p.log_index`

const listOwed = `SELECT idempotency_key || ' ' || state AS what FROM outbox_message
  WHERE merchant = $1 AND subject = $2 ORDER BY sequence`

const listArrivals = `
  SELECT kind, amount::text, distributed_tx IS NOT NULL AS is_distributed, held,
    orphaned_at IS NOT NULL AS is_lost
  FROM split_arrival WHERE merchant = $1 AND receipt_id = $2 ORDER BY block_number, log_index`

const countSent = `
  SELECT kind, count(*) FROM outgoing_transaction WHERE state = 'mined' GROUP BY kind ORDER BY kind`

const listLedgers = `SELECT token_address, received::text, level::text,
    (SELECT jsonb_agg(value ORDER BY value) FROM jsonb_each_text(released)) AS released
  FROM split_ledger WHERE merchant = $1 ORDER BY token_address`

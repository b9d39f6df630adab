import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, named, numeric, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export type SplitLedger = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly version: bigint
  readonly token: Wallet
  /** The ledger excludes money that the split received up to this block. */
  readonly readFrom: bigint
}

/**
 * Returns the logged inbound transfers up to a block. Excludes transfers that were inferred from a release.
 */
export async function readLogged(
  db: Database,
  chain: number,
  ledger: readonly SplitLedger[],
  at: bigint,
): Promise<bigint[]> {
  const found = await askByMerchant(
    ledger,
    (book) => book.merchant,
    (merchant, each) => db.rows(logged({ chain, at, merchant, each })),
  )
  return ledger.map((book) => found.get(book)?.logged ?? 0n)
}

export type DepositLedger = {
  readonly merchant: Wallet
  readonly receiptId: string
  readonly token: Wallet
}

export async function readDeposited(
  db: Database,
  chain: number,
  ledger: readonly DepositLedger[],
  at: bigint,
): Promise<{ booked: bigint; swept: bigint }[]> {
  const found = await askByMerchant(
    ledger,
    (book) => book.merchant,
    (merchant, each) => db.rows(deposited({ chain, at, merchant, each })),
  )
  return ledger.map((book) => {
    const { booked, swept } = found.get(book) ?? { booked: 0n, swept: 0n }
    return { booked, swept }
  })
}

export type LogPlace = { readonly merchant: Wallet; readonly txHash: Hex; readonly logIndex: number }

export async function findUnbooked<T extends LogPlace>(
  db: Database,
  chain: number,
  places: readonly T[],
): Promise<T[]> {
  const missing = await askByMerchant(
    places,
    (place) => place.merchant,
    (merchant, each) => db.rows(unbooked({ chain, merchant, each })),
  )
  return places.filter((place) => missing.has(place))
}

export async function findUnbookedEvents<
  T extends { readonly owner: { readonly merchant: Wallet }; readonly event: { readonly place: EventPlace } },
>(db: Database, chain: number, events: readonly T[]): Promise<T[]> {
  const missing = await askByMerchant(
    events,
    ({ owner }) => owner.merchant,
    (merchant, each) => db.rows(unbookedEvents({ chain, merchant, each })),
  )
  return events.filter((event) => missing.has(event))
}

type EventPlace = { readonly transactionHash: Hex; readonly logIndex: number }

export async function listUnbookedCalls(
  db: Database,
  chain: number,
  merchants: readonly Wallet[],
  range: { readonly above: bigint; readonly to: bigint },
): Promise<bigint[]> {
  if (merchants.length === 0) return []
  const rows = await db.rows(unbookedCalls({ chain, merchants, ...range }))
  return rows.map((row) => row.blockNumber)
}

export async function recordNativeSweeps(
  db: Database,
  chain: number,
  merchants: readonly Wallet[],
  coin: Wallet,
  range: { readonly above: bigint; readonly to: bigint },
): Promise<void> {
  if (merchants.length === 0) return
  const each = await db.rows(nativeSweeps({ chain, merchants, coin, above: range.above, to: range.to }))
  if (each.length > 0) await db.run(noteSweeps({ chain, each }))
}

export async function readReleased<T extends Pick<SplitLedger, 'merchant' | 'split' | 'token'>>(
  db: Database,
  chain: number,
  ledger: readonly T[],
): Promise<bigint[]> {
  const found = await askByMerchant(
    ledger,
    (book) => book.merchant,
    (merchant, each) => db.rows(released({ chain, merchant, each })),
  )
  return ledger.map((book) => found.get(book)?.released ?? 0n)
}

export async function listReceiptsSettledBy(
  db: Database,
  chain: number,
  ledger: Pick<SplitLedger, 'merchant' | 'split' | 'token'>,
  txHashes: readonly Hex[],
): Promise<string[]> {
  const rows = await db.rows(settledBy({ ...ledger, chain, txHashes }))
  return rows.map((row) => row.receiptId)
}

const logged = statement({
  name: 'read-logged-arrivals',
  reads: { place: int8(), logged: int8() },
  text: `SELECT asked.place, sum(a.amount) AS logged
    FROM unnest(:each.split::text[], :each.token::text[]) WITH ORDINALITY AS asked(split, token, place)
    JOIN split_arrival AS a ON a.merchant = :merchant AND a.split_address = asked.split
      AND a.token_address = asked.token AND a.chain = :chain AND a.block_number <= :at AND a.orphaned_at IS NULL
    WHERE a.kind <> 'plain' OR NOT EXISTS (SELECT 1 FROM split_release AS r WHERE r.merchant = :merchant
      AND r.chain = a.chain AND r.tx_hash = a.tx_hash AND r.log_index = a.log_index)
    GROUP BY asked.place`,
})

// A payment applied to another receipt counts toward the receipt that owns the deposit address.
const deposited = statement({
  name: 'read-deposited',
  reads: { place: int8(), booked: int8(), swept: int8() },
  text: `SELECT asked.place, coalesce(cases.amount, 0) + coalesce(payments.amount, 0) AS booked,
      coalesce(sweeps.amount, 0) AS swept
    FROM unnest(:each.receiptId::text[], :each.token::text[])
      WITH ORDINALITY AS asked(receipt_id, token, place)
    LEFT JOIN LATERAL (SELECT sum(u.amount) AS amount FROM unmatched_payment AS u
      WHERE u.merchant = :merchant AND u.receipt_id = asked.receipt_id AND u.token_address = asked.token
        AND u.chain = :chain AND u.block_number <= :at AND u.state <> 'orphaned' AND u.log_index >= 0
        AND NOT EXISTS (SELECT 1 FROM split_arrival AS a WHERE a.merchant = :merchant AND a.chain = u.chain
          AND a.tx_hash = u.tx_hash AND a.log_index = u.log_index)) AS cases ON true
    LEFT JOIN LATERAL (SELECT sum(p.amount) AS amount FROM payment AS p
      WHERE p.merchant = :merchant AND p.receipt_id = asked.receipt_id AND p.token_address = asked.token
        AND p.chain = :chain AND p.block_number <= :at AND p.state <> 'orphaned' AND p.kind = 'transfer'
        AND NOT EXISTS (SELECT 1 FROM unmatched_payment AS u WHERE u.merchant = :merchant AND u.chain = p.chain
          AND u.tx_hash = p.tx_hash AND u.log_index = p.log_index AND u.address = p.address
          AND u.state <> 'orphaned')) AS payments ON true
    LEFT JOIN LATERAL (SELECT sum(a.amount) AS amount FROM split_arrival AS a
      WHERE a.merchant = :merchant AND a.receipt_id = asked.receipt_id AND a.token_address = asked.token
        AND a.chain = :chain AND a.block_number <= :at AND a.kind = 'sweep'
          AND a.orphaned_at IS NULL) AS sweeps ON true`,
})

const unbooked = statement({
  name: 'find-unbooked-logs',
  reads: { place: int8() },
  text: `SELECT asked.place
    FROM unnest(:each.txHash::text[], :each.logIndex::int8[])
      WITH ORDINALITY AS asked(tx_hash, log_index, place)
    WHERE NOT EXISTS (SELECT 1 FROM payment AS p WHERE p.merchant = :merchant AND p.chain = :chain
        AND p.tx_hash = asked.tx_hash AND p.log_index = asked.log_index AND p.state <> 'orphaned')
      AND NOT EXISTS (SELECT 1 FROM unmatched_payment AS u WHERE u.merchant = :merchant AND u.chain = :chain
        AND u.tx_hash = asked.tx_hash AND u.log_index = asked.log_index AND u.state <> 'orphaned')`,
})

// An inbound transfer with the key of a release was inferred from that release. Such a transfer is not an
// event.
const unbookedEvents = statement({
  name: 'find-unbooked-events',
  reads: { place: int8() },
  text: `SELECT asked.place
    FROM unnest(:each.event.place.transactionHash::text[], :each.event.place.logIndex::int8[])
      WITH ORDINALITY AS asked(tx_hash, log_index, place)
    WHERE NOT EXISTS (SELECT 1 FROM split_arrival AS a WHERE a.merchant = :merchant AND a.chain = :chain
        AND a.tx_hash = asked.tx_hash AND a.log_index = asked.log_index AND a.orphaned_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM split_release AS r WHERE r.merchant = :merchant AND r.chain = :chain
        AND r.tx_hash = asked.tx_hash AND r.log_index = asked.log_index AND r.orphaned_at IS NULL)`,
})

const unbookedCalls = statement({
  name: 'list-unbooked-calls',
  reads: { blockNumber: int8() },
  text: `SELECT DISTINCT a.block_number FROM split_arrival AS a
    WHERE a.merchant = ANY(:merchants) AND a.chain = :chain AND a.block_number > :above AND a.block_number <= :to
      AND a.kind = 'call' AND a.orphaned_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM payment AS p WHERE p.merchant = a.merchant AND p.chain = a.chain
        AND p.tx_hash = a.tx_hash AND p.log_index = a.log_index AND p.state <> 'orphaned')
      AND NOT EXISTS (SELECT 1 FROM unmatched_payment AS u WHERE u.merchant = a.merchant AND u.chain = a.chain
        AND u.tx_hash = a.tx_hash AND u.log_index = a.log_index AND u.state <> 'orphaned')
    ORDER BY a.block_number`,
})

const nativeSweeps = statement({
  name: 'list-coin-sweeps',
  reads: {
    merchant: text<Wallet>(),
    split: named('split_address', text<Wallet>()),
    reference: optional(text()),
    txHash: text<Hex>(),
    logIndex: int8(),
    amount: numeric(),
    blockNumber: int8(),
  },
  text: `SELECT merchant, split_address, reference, tx_hash, log_index, amount, block_number FROM split_arrival
    WHERE merchant = ANY(:merchants) AND chain = :chain AND token_address = :coin AND block_number > :above
      AND block_number <= :to AND kind = 'sweep' AND orphaned_at IS NULL`,
})

const noteSweeps = statement({
  name: 'note-coin-sweeps',
  text: `INSERT INTO deposit_coin (chain, tx_hash, log_index, deposit_address, amount, block_number)
    SELECT :chain, a.tx_hash, a.log_index, t.deposit_address, -a.amount, a.block_number
    FROM unnest(:each.merchant::text[], :each.split::text[], :each.reference::text[], :each.txHash::text[],
      :each.logIndex::int8[], :each.amount::numeric[], :each.blockNumber::int8[])
      AS a(merchant, split_address, reference, tx_hash, log_index, amount, block_number)
    JOIN attempt_target AS t ON t.chain = :chain AND t.reference = a.reference
      AND t.merchant = a.merchant AND t.split_address = a.split_address
    ON CONFLICT DO NOTHING`,
})

/**
 * Queries merchant by merchant, because all rows of a merchant are on one database node.
 *
 * @param ask - Returns rows with the 1-based positions of their items. Items without a row are absent from
 * the result.
 */
async function askByMerchant<Item, Row extends { readonly place: bigint }>(
  items: readonly Item[],
  merchantOf: (item: Item) => Wallet,
  ask: (merchant: Wallet, items: readonly Item[]) => Promise<readonly Row[]>,
): Promise<Map<Item, Row>> {
  const responses = new Map<Item, Row>()
  for (const [merchant, own] of Map.groupBy(items, merchantOf))
    for (const row of await ask(merchant, own)) {
      const item = own[Number(row.place) - 1]
      if (item !== undefined) responses.set(item, row)
    }
  return responses
}

const released = statement({
  name: 'read-released-books',
  reads: { place: int8(), released: int8() },
  text: `SELECT asked.place, coalesce(ledger.amount, 0) AS released
    FROM unnest(:each.split::text[], :each.token::text[]) WITH ORDINALITY AS asked(split, token, place)
    LEFT JOIN LATERAL (SELECT sum(each.value::numeric) AS amount
      FROM split_ledger AS l, jsonb_each_text(l.released) AS each
      WHERE l.merchant = :merchant AND l.chain = :chain AND l.split_address = asked.split
        AND l.token_address = asked.token) AS ledger ON true`,
})

const settledBy = statement({
  name: 'list-receipts-settled-by',
  reads: { receiptId: text() },
  text: `SELECT DISTINCT receipt_id FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND distributed_tx = ANY(:txHashes)
      AND receipt_id IS NOT NULL AND orphaned_at IS NULL`,
})

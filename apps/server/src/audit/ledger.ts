import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { count, int8, named, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A split version. Money received up to block `readFrom` is not in the ledger. */
export type BookedSplit = { readonly merchant: Wallet; readonly address: Wallet; readonly readFrom: bigint }

export type BookedDeposit = {
  readonly merchant: Wallet
  readonly receiptId: string
  readonly reference: Hex
  readonly address: Wallet
  readonly split: Wallet
  readonly openedBlock: bigint
  readonly hotUntil: number
  readonly watchUntil: number
}

export type Place = 'credited' | 'seen' | 'unmatched' | 'refunded'

export type BookedAmount = {
  readonly merchant: Wallet
  readonly place: Place
  readonly subject: string
  /** Receipt of the deposit address or the reference. */
  readonly receiptId: string | undefined
  /** Deposit address that was unknown when it was swept. */
  readonly sweptFrom: string | undefined
  readonly token: Wallet
  readonly amount: bigint
  readonly txHash: Hex
  readonly logIndex: number
  readonly address: string
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

export type Ledger = {
  readonly cursors: ReadonlyMap<string, { readonly number: bigint; readonly at: number }>
  readonly splits: readonly BookedSplit[]
  readonly deposits: readonly BookedDeposit[]
  readonly amounts: readonly BookedAmount[]
  readonly lostCredits: readonly LostCredit[]
}

export type LostCredit = { readonly merchant: Wallet; readonly txHash: Hex }

/** Reads the ledger in one REPEATABLE READ snapshot. */
export function readLedger(db: Database, chain: number): Promise<Ledger> {
  return db.transaction(async (tx) => {
    await tx.run(asOfOneMoment())
    const cursors = await tx.rows(listCursors({ chain }))
    return {
      cursors: new Map(cursors.map(({ name, number, at }) => [name, { number, at }])),
      splits: await tx.rows(listSplits({ chain })),
      deposits: await tx.rows(listDeposits({ chain })),
      amounts: await tx.rows(listAmounts({ chain })),
      lostCredits: await tx.rows(listLostCredits({ chain })),
    }
  })
}

const asOfOneMoment = statement({
  name: 'audit-as-of-one-moment',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
})

const listCursors = statement({
  name: 'audit-list-cursors',
  reads: { name: text(), number: int8(), at: named('block_at', time()) },
  text: 'SELECT name, number, block_at FROM chain_cursor WHERE chain = :chain',
})

const listSplits = statement({
  name: 'audit-list-splits',
  reads: { merchant: text<Wallet>(), address: text<Wallet>(), readFrom: int8() },
  text: 'SELECT merchant, address, read_from FROM split_address WHERE chain = :chain ORDER BY merchant, version',
})

const listDeposits = statement({
  name: 'audit-list-deposits',
  reads: {
    merchant: text<Wallet>(),
    receiptId: text(),
    reference: text<Hex>(),
    address: named('deposit_address', text<Wallet>()),
    split: named('split_address', text<Wallet>()),
    openedBlock: int8(),
    hotUntil: time(),
    watchUntil: time(),
  },
  // Reads the owners from `attempt_target`, which the watcher uses. The `attempt` table stores them a second
  // time.
  text: `SELECT t.merchant, t.receipt_id, t.reference, t.deposit_address, t.split_address,
      coalesce(a.opened_block, 0) AS opened_block, t.hot_until, t.watch_until
    FROM attempt_target t LEFT JOIN attempt a ON a.merchant = t.merchant AND a.id = t.attempt_id
    WHERE t.chain = :chain ORDER BY opened_block, t.deposit_address`,
})

// A payment applied to a receipt counts as that receipt's payment. Other unmatched payments are inbox cases.
const listAmounts = statement({
  name: 'audit-list-amounts',
  reads: {
    merchant: text<Wallet>(),
    place: text<Place>(),
    subject: text(),
    receiptId: optional(text()),
    sweptFrom: optional(text()),
    token: named('token_address', text<Wallet>()),
    amount: int8(),
    txHash: text<Hex>(),
    logIndex: count(),
    address: text(),
    blockNumber: int8(),
    blockHash: text<Hex>(),
  },
  text: `SELECT p.merchant, p.state AS place, p.receipt_id AS subject,
      CASE WHEN u.id IS NULL THEN p.receipt_id ELSE u.receipt_id END AS receipt_id,
      CASE WHEN u.kind = 'call' THEN u.source END AS swept_from, p.token_address, p.amount, p.tx_hash,
      p.log_index, p.address, p.block_number, p.block_hash
    FROM payment p LEFT JOIN unmatched_payment u ON u.merchant = p.merchant AND u.chain = p.chain AND u.state = 'applied'
      AND u.tx_hash = p.tx_hash AND u.log_index = p.log_index AND u.address = p.address
    WHERE p.chain = :chain AND p.state IN ('credited', 'seen')
    UNION ALL
    SELECT merchant, CASE WHEN state = 'refunded' THEN 'refunded' ELSE 'unmatched' END, id, receipt_id,
      CASE WHEN kind = 'call' THEN source END, token_address,
      amount, tx_hash, log_index, address, block_number, block_hash
    FROM unmatched_payment WHERE chain = :chain AND state IN ('open', 'kept', 'refunded')
      AND reason <> 'unlisted-token'`,
})

const listLostCredits = statement({
  name: 'audit-list-lost-credits',
  reads: { merchant: text<Wallet>(), txHash: text<Hex>() },
  text: `SELECT DISTINCT c.merchant, c.tx_hash FROM log_claim c
    LEFT JOIN payment p ON p.merchant = c.merchant AND p.chain = c.chain AND p.tx_hash = c.tx_hash
      AND p.log_index = c.log_index AND p.address = c.address
    WHERE c.chain = :chain AND p.merchant IS NULL ORDER BY c.merchant, c.tx_hash`,
})

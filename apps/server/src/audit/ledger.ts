import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { count, int8, named, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A split of a merchant, in one version; what came before `readFrom` was not the service's to book. */
export type BookedSplit = { readonly merchant: Wallet; readonly address: Wallet; readonly readFrom: bigint }

/** An address of ours that buyers pay to. */
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

/** In which of its places the books hold an amount. */
export type Place = 'credited' | 'seen' | 'unmatched' | 'refunded'

/** An amount the books hold, and the movement of the chain they say it came by. */
export type BookedAmount = {
  readonly merchant: Wallet
  readonly place: Place
  /** The receipt, or the case of the inbox. */
  readonly subject: string
  readonly receiptId: string | undefined
  readonly token: Wallet
  readonly amount: bigint
  readonly txHash: Hex
  readonly logIndex: number
  readonly address: string
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

/** All that the database says of money on one chain. */
export type Books = {
  /** How far each reader has read. */
  readonly cursors: ReadonlyMap<string, { readonly number: bigint; readonly at: number }>
  readonly splits: readonly BookedSplit[]
  readonly deposits: readonly BookedDeposit[]
  readonly amounts: readonly BookedAmount[]
}

/** Reads the books as of one moment. */
export function readLedger(db: Database, chain: number): Promise<Books> {
  return db.transaction(async (tx) => {
    await tx.run(asOfOneMoment())
    const cursors = await tx.rows(listCursors({ chain }))
    return {
      cursors: new Map(cursors.map(({ name, number, at }) => [name, { number, at }])),
      splits: await tx.rows(listSplits({ chain })),
      deposits: await tx.rows(listDeposits({ chain })),
      amounts: await tx.rows(listAmounts({ chain })),
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
  text: `SELECT a.merchant, a.receipt_id, a.reference, a.deposit_address, a.split_address, a.opened_block,
      coalesce(t.hot_until, 0) AS hot_until, coalesce(t.watch_until, 0) AS watch_until
    FROM attempt a
    LEFT JOIN attempt_target t ON t.chain = a.chain AND t.deposit_address = a.deposit_address
      AND t.merchant = a.merchant
    WHERE a.chain = :chain ORDER BY a.opened_block, a.deposit_address`,
})

// Money applied from the inbox is a payment of its receipt; a payment left unmatched is a case of the inbox.
const listAmounts = statement({
  name: 'audit-list-amounts',
  reads: {
    merchant: text<Wallet>(),
    place: text<Place>(),
    subject: text(),
    receiptId: optional(text()),
    token: named('token_address', text<Wallet>()),
    amount: int8(),
    txHash: text<Hex>(),
    logIndex: count(),
    address: text(),
    blockNumber: int8(),
    blockHash: text<Hex>(),
  },
  text: `SELECT merchant, state AS place, receipt_id AS subject, receipt_id, token_address, amount, tx_hash,
      log_index, address, block_number, block_hash
    FROM payment WHERE chain = :chain AND state IN ('credited', 'seen')
    UNION ALL
    SELECT merchant, CASE WHEN state = 'refunded' THEN 'refunded' ELSE 'unmatched' END, id, receipt_id, token_address,
      amount, tx_hash, log_index, address, block_number, block_hash
    FROM unmatched_payment WHERE chain = :chain AND state IN ('open', 'kept', 'refunded')`,
})

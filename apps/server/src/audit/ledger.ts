import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { int8, optional, text } from '../platform/database/columns.ts'
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
    const splits = await tx.rows(listSplits({ chain }))
    const deposits = await tx.rows(listDeposits({ chain }))
    const amounts = await tx.rows(listAmounts({ chain }))
    return {
      cursors: new Map(cursors.map((row) => [row.name, { number: row.number, at: Number(row.blockAt) }])),
      splits: splits.map((row) => ({
        merchant: row.merchant as Wallet,
        address: row.address as Wallet,
        readFrom: row.readFrom,
      })),
      deposits: deposits.map((row) => ({
        merchant: row.merchant as Wallet,
        receiptId: row.receiptId,
        reference: row.reference as Hex,
        address: row.depositAddress as Wallet,
        split: row.splitAddress as Wallet,
        openedBlock: row.openedBlock,
        hotUntil: Number(row.hotUntil),
        watchUntil: Number(row.watchUntil),
      })),
      amounts: amounts.map((row) => ({
        merchant: row.merchant as Wallet,
        place: row.place as Place,
        subject: row.subject,
        receiptId: row.receiptId ?? undefined,
        token: row.tokenAddress as Wallet,
        amount: row.amount,
        txHash: row.txHash as Hex,
        logIndex: Number(row.logIndex),
        address: row.address,
        blockNumber: row.blockNumber,
        blockHash: row.blockHash as Hex,
      })),
    }
  })
}

const asOfOneMoment = statement({
  name: 'audit-as-of-one-moment',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
})

const listCursors = statement({
  name: 'audit-list-cursors',
  reads: { name: text(), number: int8(), blockAt: int8() },
  text: 'SELECT name, number, block_at FROM chain_cursor WHERE chain = :chain',
})

const listSplits = statement({
  name: 'audit-list-splits',
  reads: { merchant: text(), address: text(), readFrom: int8() },
  text: 'SELECT merchant, address, read_from FROM split_address WHERE chain = :chain ORDER BY merchant, version',
})

const listDeposits = statement({
  name: 'audit-list-deposits',
  reads: {
    merchant: text(),
    receiptId: text(),
    reference: text(),
    depositAddress: text(),
    splitAddress: text(),
    openedBlock: int8(),
    hotUntil: int8(),
    watchUntil: int8(),
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
    merchant: text(),
    place: text(),
    subject: text(),
    receiptId: optional(text()),
    tokenAddress: text(),
    amount: int8(),
    txHash: text(),
    logIndex: int8(),
    address: text(),
    blockNumber: int8(),
    blockHash: text(),
  },
  text: `SELECT merchant, state AS place, receipt_id AS subject, receipt_id, token_address, amount, tx_hash,
      log_index, address, block_number, block_hash
    FROM payment WHERE chain = :chain AND state IN ('credited', 'seen')
    UNION ALL
    SELECT merchant, CASE state WHEN 'refunded' THEN 'refunded' ELSE 'unmatched' END, id, receipt_id, token_address,
      amount, tx_hash, log_index, address, block_number, block_hash
    FROM unmatched_payment WHERE chain = :chain AND state IN ('open', 'kept', 'refunded')`,
})

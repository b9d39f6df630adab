import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import type { Database } from '../platform/database/database.ts'

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
export function readBooks(db: Database, chain: number): Promise<Books> {
  return db.transaction(async (tx) => {
    await tx.run(asOfOneMoment)
    const cursors = await tx.rows<{ name: string; number: bigint; block_at: bigint }>(listCursors, [chain])
    const splits = await tx.rows<SplitRow>(listSplits, [chain])
    const deposits = await tx.rows<DepositRow>(listDeposits, [chain])
    const amounts = await tx.rows<AmountRow>(listAmounts, [chain])
    return {
      cursors: new Map(cursors.map((row) => [row.name, { number: row.number, at: Number(row.block_at) }])),
      splits: splits.map((row) => ({
        merchant: row.merchant as Wallet,
        address: row.address as Wallet,
        readFrom: row.read_from,
      })),
      deposits: deposits.map((row) => ({
        merchant: row.merchant as Wallet,
        receiptId: row.receipt_id,
        reference: row.reference as Hex,
        address: row.deposit_address as Wallet,
        split: row.split_address as Wallet,
        openedBlock: row.opened_block,
        hotUntil: Number(row.hot_until),
        watchUntil: Number(row.watch_until),
      })),
      amounts: amounts.map((row) => ({
        merchant: row.merchant as Wallet,
        place: row.place as Place,
        subject: row.subject,
        receiptId: row.receipt_id ?? undefined,
        token: row.token_address as Wallet,
        amount: row.amount,
        txHash: row.tx_hash as Hex,
        logIndex: Number(row.log_index),
        address: row.address,
        blockNumber: row.block_number,
        blockHash: row.block_hash as Hex,
      })),
    }
  })
}

type SplitRow = { merchant: string; address: string; read_from: bigint }

type DepositRow = {
  merchant: string
  receipt_id: string
  reference: string
  deposit_address: string
  split_address: string
  opened_block: bigint
  hot_until: bigint
  watch_until: bigint
}

type AmountRow = {
  merchant: string
  place: string
  subject: string
  receipt_id: string | null
  token_address: string
  amount: bigint
  tx_hash: string
  log_index: bigint
  address: string
  block_number: bigint
  block_hash: string
}

const asOfOneMoment = {
  name: 'audit-as-of-one-moment',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
}

const listCursors = {
  name: 'audit-list-cursors',
  text: 'SELECT name, number, block_at FROM chain_cursor WHERE chain = $1',
}

const listSplits = {
  name: 'audit-list-splits',
  text: 'SELECT merchant, address, read_from FROM split_address WHERE chain = $1 ORDER BY merchant, version',
}

const listDeposits = {
  name: 'audit-list-deposits',
  text: `SELECT a.merchant, a.receipt_id, a.reference, a.deposit_address, a.split_address, a.opened_block,
      coalesce(t.hot_until, 0) AS hot_until, coalesce(t.watch_until, 0) AS watch_until
    FROM attempt a
    LEFT JOIN attempt_target t ON t.chain = a.chain AND t.deposit_address = a.deposit_address
      AND t.merchant = a.merchant
    WHERE a.chain = $1 ORDER BY a.opened_block, a.deposit_address`,
}

// Money applied from the inbox is a payment of its receipt; a payment left unmatched is a case of the inbox.
const listAmounts = {
  name: 'audit-list-amounts',
  text: `SELECT merchant, state AS place, receipt_id AS subject, receipt_id, token_address, amount, tx_hash,
      log_index, address, block_number, block_hash
    FROM payment WHERE chain = $1 AND state IN ('credited', 'seen')
    UNION ALL
    SELECT merchant, CASE state WHEN 'refunded' THEN 'refunded' ELSE 'unmatched' END, id, receipt_id, token_address,
      amount, tx_hash, log_index, address, block_number, block_hash
    FROM unmatched_payment WHERE chain = $1 AND state IN ('open', 'kept', 'refunded')`,
}

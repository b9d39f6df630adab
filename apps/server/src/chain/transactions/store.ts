import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, int8, json, named, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { OutgoingTransaction, TransactionKind } from './transaction.ts'

/** Records a signed transaction. Returns `false` if the nonce is taken: then never send these bytes. */
export async function insertOutgoing(db: Database, own: OutgoingTransaction): Promise<boolean> {
  return (await db.run(insert(own))) > 0
}

export async function listOpenOutgoing(
  db: Database,
  chain: number,
  sender: Wallet,
): Promise<OutgoingTransaction[]> {
  return db.rows(listOpen({ chain, sender }))
}

/** Returns senders with an unsettled transaction, or with a settled one whose block is not final. */
export async function listOpenSenders(db: Database, chain: number): Promise<Wallet[]> {
  const rows = await db.rows(openSenders({ chain }))
  return rows.map((row) => row.sender as Wallet)
}

/**
 * Returns transactions of a kind that are unsettled or mined above `block`.
 *
 * Their effects may not be in the ledger yet.
 */
export async function listOutgoingSince(
  db: Database,
  chain: number,
  kind: TransactionKind,
  block: bigint,
): Promise<OutgoingTransaction[]> {
  return db.rows(listSince({ chain, kind, block }))
}

export async function markOutgoingSent(db: Database, own: OutgoingTransaction, at: UnixMs): Promise<void> {
  await db.run(markSent({ chain: own.chain, sender: own.sender, nonce: own.nonce, attempt: own.attempt, at }))
}

/** Settles a nonce: the attempt `mined`, if it was ours, is mined and the others are replaced. */
export async function settleNonce(
  db: Database,
  nonce: { chain: number; sender: Wallet; nonce: bigint },
  mined: { attempt: bigint; isSuccess: boolean; hadEffect: boolean; block: bigint; fee: bigint } | undefined,
): Promise<void> {
  const state = mined?.isSuccess ? 'mined' : 'reverted'
  await db.run(
    settle({
      chain: nonce.chain,
      sender: nonce.sender,
      nonce: nonce.nonce,
      attempt: mined?.attempt ?? -1,
      state,
      minedBlock: mined?.block,
      hadEffect: mined?.hadEffect,
      fee: mined?.fee,
    }),
  )
}

export async function listFailedOutgoing(
  db: Database,
  chain: number,
  kind: TransactionKind,
  since: UnixMs,
): Promise<OutgoingTransaction[]> {
  return db.rows(listInVain({ chain, kind, since }))
}

/** Returns the transaction that delivers test tokens for a card sandbox session. */
export async function findPayout(
  db: Database,
  chain: number,
  session: string,
): Promise<OutgoingTransaction | undefined> {
  return db.row(findOwnPayout({ chain, session }))
}

/**
 * Reopens settled transactions from `nonce` on after a reorg, so that they are sent again.
 *
 * Returns their number.
 */
export async function reopenOutgoing(
  db: Database,
  chain: number,
  sender: Wallet,
  nonce: bigint,
): Promise<number> {
  return db.run(reopen({ chain, sender, nonce }))
}

const stored = table<OutgoingTransaction>('outgoing_transaction', {
  chain: count(),
  sender: text(),
  nonce: int8(),
  attempt: int8(),
  kind: text(),
  detail: json(),
  to: named('to_address', text()),
  data: text(),
  gas: int8(),
  maxFeePerGas: int8(),
  maxPriorityFeePerGas: int8(),
  raw: text(),
  hash: text(),
  state: text(),
  createdAt: time(),
  sentAt: optional(time()),
  minedBlock: optional(int8()),
})

const columns = columnsOf(stored)

const insert = statement({
  name: 'insert-outgoing-transaction',
  writes: stored,
  text: `INSERT INTO outgoing_transaction ${valuesOf(stored)} ON CONFLICT (chain, sender, nonce, attempt) DO NOTHING`,
})

const listOpen = statement({
  name: 'list-open-outgoing-transactions',
  reads: stored,
  text: `SELECT ${columns} FROM outgoing_transaction WHERE chain = :chain AND sender = :sender AND state = 'signed'
    ORDER BY nonce, attempt`,
})

const openSenders = statement({
  name: 'list-open-own-senders',
  reads: { sender: text() },
  text: `SELECT sender FROM outgoing_transaction WHERE chain = :chain AND state = 'signed'
    UNION
    SELECT sender FROM outgoing_transaction WHERE chain = :chain AND state = 'mined'
      AND mined_block > coalesce((SELECT final FROM chain_head WHERE chain = :chain), 0)`,
})

const listSince = statement({
  name: 'list-outgoing-transactions-since',
  reads: stored,
  text: `SELECT ${columns} FROM outgoing_transaction
    WHERE chain = :chain AND kind = :kind AND (state = 'signed' OR (state = 'mined' AND mined_block > :block))
    ORDER BY nonce, attempt`,
})

const listInVain = statement({
  name: 'list-outgoing-transactions-in-vain',
  reads: stored,
  text: `SELECT ${columns} FROM outgoing_transaction
    WHERE chain = :chain AND kind = :kind AND created_at > :since AND (state = 'reverted' OR had_effect = false)
    ORDER BY created_at DESC`,
})

const findOwnPayout = statement({
  name: 'find-own-payout',
  reads: stored,
  text: `SELECT ${columns} FROM outgoing_transaction
    WHERE chain = :chain AND kind = 'payout' AND detail ->> 'session' = :session AND state IN ('signed', 'mined')
    ORDER BY nonce DESC, attempt DESC LIMIT 1`,
})

const markSent = statement({
  name: 'mark-outgoing-transaction-sent',
  text: `UPDATE outgoing_transaction SET sent_at = :at WHERE chain = :chain AND sender = :sender AND nonce = :nonce
    AND attempt = :attempt`,
})

const settle = statement({
  name: 'settle-own-nonce',
  text: `UPDATE outgoing_transaction SET state = CASE WHEN attempt = :attempt THEN :state ELSE 'replaced' END,
      mined_block = CASE WHEN attempt = :attempt THEN :minedBlock::int8 END,
      had_effect = CASE WHEN attempt = :attempt THEN :hadEffect::bool END,
      fee = CASE WHEN attempt = :attempt THEN :fee::numeric END
    WHERE chain = :chain AND sender = :sender AND nonce = :nonce AND state = 'signed'`,
})

const reopen = statement({
  name: 'reopen-outgoing-transactions',
  text: `UPDATE outgoing_transaction SET state = 'signed', sent_at = NULL, mined_block = NULL, had_effect = NULL,
      fee = NULL
    WHERE chain = :chain AND sender = :sender AND nonce >= :nonce AND state <> 'signed'`,
})

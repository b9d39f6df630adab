import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Hex } from '../chain.ts'
import type { OwnKind, OwnTransaction } from './transaction.ts'

/**
 * Writes a signed transaction down; `false` where the nonce is taken: another process was faster, and
 * these bytes must never be sent.
 */
export async function insertOwn(db: Database, own: OwnTransaction): Promise<boolean> {
  const count = await db.run(insert, [
    own.chain,
    own.sender,
    own.nonce,
    own.attempt,
    own.kind,
    JSON.stringify(own.detail),
    own.to,
    own.data,
    own.gas,
    own.maxFeePerGas,
    own.maxPriorityFeePerGas,
    own.raw,
    own.hash,
    own.state,
    own.createdAt,
  ])
  return count > 0
}

/** The sender's transactions whose fate is open, by nonce and attempt. */
export async function listOpenOwn(db: Database, chain: number, sender: Wallet): Promise<OwnTransaction[]> {
  return (await db.rows<OwnRow>(listOpen, [chain, sender])).map(fromRow)
}

/** Every sender on the chain with a transaction whose fate is open, or may be again: its block is not final. */
export async function listOpenSenders(db: Database, chain: number): Promise<Wallet[]> {
  const rows = await db.rows<{ sender: string }>(openSenders, [chain])
  return rows.map((row) => row.sender as Wallet)
}

/**
 * Transactions of a kind, of whatever sender, that are open or were mined above `block`: what they do may
 * not be in the books yet.
 */
export async function listOwnSince(
  db: Database,
  chain: number,
  kind: OwnKind,
  block: bigint,
): Promise<OwnTransaction[]> {
  return (await db.rows<OwnRow>(listSince, [chain, kind, block])).map(fromRow)
}

/** Notes that the bytes were given to the chain. */
export async function markOwnSent(db: Database, own: OwnTransaction, at: UnixMs): Promise<void> {
  await db.run(markSent, [own.chain, own.sender, own.nonce, own.attempt, at])
}

/** Notes what became of a nonce: the attempt `mined`, if it was one of ours, and the others replaced. */
export async function settleOwnNonce(
  db: Database,
  nonce: { chain: number; sender: Wallet; nonce: bigint },
  mined: { attempt: bigint; isSuccess: boolean; hadEffect: boolean; block: bigint } | undefined,
): Promise<void> {
  const state = mined?.isSuccess ? 'mined' : 'reverted'
  await db.run(settle, [
    nonce.chain,
    nonce.sender,
    nonce.nonce,
    mined?.attempt ?? -1,
    state,
    mined?.block ?? null,
    mined?.hadEffect ?? null,
  ])
}

/** Transactions of a kind, newest first, that were made after `since` and spent their gas for nothing. */
export async function listOwnInVain(
  db: Database,
  chain: number,
  kind: OwnKind,
  since: UnixMs,
): Promise<OwnTransaction[]> {
  return (await db.rows<OwnRow>(listInVain, [chain, kind, since])).map(fromRow)
}

/**
 * Opens again what was taken for settled from `nonce` on: the chain lost it, and its bytes go out once more.
 * Answers how many there were.
 */
export async function reopenOwn(db: Database, chain: number, sender: Wallet, nonce: bigint): Promise<number> {
  return db.run(reopen, [chain, sender, nonce])
}

type OwnRow = {
  chain: bigint
  sender: string
  nonce: bigint
  attempt: bigint
  kind: string
  detail: Record<string, unknown>
  to_address: string
  data: string
  gas: bigint
  max_fee_per_gas: bigint
  max_priority_fee_per_gas: bigint
  raw: string
  hash: string
  state: string
  created_at: bigint
  sent_at: bigint | null
  mined_block: bigint | null
}

function fromRow(row: OwnRow): OwnTransaction {
  return {
    chain: Number(row.chain),
    sender: row.sender as Wallet,
    nonce: row.nonce,
    attempt: row.attempt,
    kind: row.kind as OwnKind,
    detail: row.detail,
    to: row.to_address as Wallet,
    data: row.data as Hex,
    gas: row.gas,
    maxFeePerGas: row.max_fee_per_gas,
    maxPriorityFeePerGas: row.max_priority_fee_per_gas,
    raw: row.raw as Hex,
    hash: row.hash as Hex,
    state: row.state as OwnTransaction['state'],
    createdAt: Number(row.created_at) as UnixMs,
    sentAt: row.sent_at === null ? undefined : (Number(row.sent_at) as UnixMs),
    minedBlock: row.mined_block ?? undefined,
  }
}

const columns = `chain, sender, nonce, attempt, kind, detail, to_address, data, gas, max_fee_per_gas,
  max_priority_fee_per_gas, raw, hash, state, created_at, sent_at, mined_block`

const insert = {
  name: 'insert-own-transaction',
  text: `INSERT INTO own_transaction (chain, sender, nonce, attempt, kind, detail, to_address, data, gas,
      max_fee_per_gas, max_priority_fee_per_gas, raw, hash, state, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (chain, sender, nonce, attempt) DO NOTHING`,
}

const listOpen = {
  name: 'list-open-own-transactions',
  text: `SELECT ${columns} FROM own_transaction WHERE chain = $1 AND sender = $2 AND state = 'signed'
    ORDER BY nonce, attempt`,
}

const openSenders = {
  name: 'list-open-own-senders',
  text: `SELECT sender FROM own_transaction WHERE chain = $1 AND state = 'signed'
    UNION
    SELECT sender FROM own_transaction WHERE chain = $1 AND state = 'mined'
      AND mined_block > coalesce((SELECT final FROM chain_head WHERE chain = $1), 0)`,
}

const listSince = {
  name: 'list-own-transactions-since',
  text: `SELECT ${columns} FROM own_transaction
    WHERE chain = $1 AND kind = $2 AND (state = 'signed' OR (state = 'mined' AND mined_block > $3))
    ORDER BY nonce, attempt`,
}

const listInVain = {
  name: 'list-own-transactions-in-vain',
  text: `SELECT ${columns} FROM own_transaction
    WHERE chain = $1 AND kind = $2 AND created_at > $3 AND (state = 'reverted' OR had_effect = false)
    ORDER BY created_at DESC`,
}

const markSent = {
  name: 'mark-own-transaction-sent',
  text: `UPDATE own_transaction SET sent_at = $5 WHERE chain = $1 AND sender = $2 AND nonce = $3 AND attempt = $4`,
}

const settle = {
  name: 'settle-own-nonce',
  text: `UPDATE own_transaction SET state = CASE WHEN attempt = $4 THEN $5 ELSE 'replaced' END,
      mined_block = CASE WHEN attempt = $4 THEN $6::int8 END,
      had_effect = CASE WHEN attempt = $4 THEN $7::bool END
    WHERE chain = $1 AND sender = $2 AND nonce = $3 AND state = 'signed'`,
}

const reopen = {
  name: 'reopen-own-transactions',
  text: `UPDATE own_transaction SET state = 'signed', sent_at = NULL, mined_block = NULL, had_effect = NULL
    WHERE chain = $1 AND sender = $2 AND nonce >= $3 AND state <> 'signed'`,
}

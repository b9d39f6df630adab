import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { count, int8, named, numeric, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { RelayedPayment, RelayKey } from './authorization.ts'

/** Returns `false` if the key exists, or if another signed payment of the receipt is pending. */
export async function insertRelay(tx: Database, relay: RelayedPayment): Promise<boolean> {
  return (await tx.run(insert(relay))) > 0
}

export async function findRelay(db: Database, key: RelayKey): Promise<RelayedPayment | undefined> {
  const { chain, tokenAddress, payer, nonce } = key
  return db.row(find({ chain, tokenAddress, payer, nonce }))
}

export async function listRelaysOfReceipt(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<RelayedPayment[]> {
  return db.rows(ofReceipt({ merchant, receiptId }))
}

export async function listOpenRelays(
  db: Database,
  chain: number,
  final: bigint,
  limit: number,
): Promise<RelayedPayment[]> {
  return db.rows(listOpen({ chain, final, limit }))
}

/** Checks for a pending permit of the payer: the next permit must use the following nonce. */
export async function hasOpenPermit(
  db: Database,
  { chain, tokenAddress, payer }: Omit<RelayKey, 'nonce'>,
): Promise<boolean> {
  return (await db.row(openPermit({ chain, tokenAddress, payer }))) !== undefined
}

export async function saveRelay(db: Database, relay: RelayedPayment): Promise<void> {
  await db.run(save(relay))
}

export async function countReverted(
  db: Database,
  chain: number,
  payer: Wallet,
  since: UnixMs,
): Promise<number> {
  return Number((await db.row(reverted({ chain, payer, since })))?.count ?? 0n)
}

export async function pruneRelays(db: Database, chain: number, before: UnixMs): Promise<void> {
  await db.run(prune({ chain, before }))
}

const relayTable = table<RelayedPayment>('relayed_payment', {
  chain: count(),
  tokenAddress: text(),
  payer: text(),
  nonce: text(),
  way: text(),
  permitNonce: optional(numeric()),
  merchant: text(),
  receiptId: text(),
  attemptId: text(),
  depositAddress: text(),
  amount: named('amount', numeric()),
  validAfter: int8(),
  validBefore: int8(),
  signature: text(),
  state: text(),
  reason: optional(text()),
  openedBlock: int8(),
  txHash: optional(text()),
  txBlock: optional(int8()),
  createdAt: time(),
  askedAt: optional(time()),
  settledAt: optional(time()),
})

const insert = statement({
  name: 'insert-relayed-payment',
  text: `INSERT INTO relayed_payment ${valuesOf(relayTable)} ON CONFLICT DO NOTHING`,
  writes: relayTable,
})

const find = statement({
  name: 'find-relayed-payment',
  reads: relayTable,
  text: `SELECT ${columnsOf(relayTable)} FROM relayed_payment
    WHERE chain = :chain AND token_address = :tokenAddress AND payer = :payer AND nonce = :nonce`,
})

const ofReceipt = statement({
  name: 'list-relayed-payments-of-receipt',
  reads: relayTable,
  text: `SELECT ${columnsOf(relayTable)} FROM relayed_payment
    WHERE merchant = :merchant AND receipt_id = :receiptId ORDER BY created_at DESC, nonce LIMIT 20`,
})

const listOpen = statement({
  name: 'list-open-relayed-payments',
  reads: relayTable,
  text: `SELECT ${columnsOf(relayTable)} FROM relayed_payment
    WHERE chain = :chain AND settled_at IS NULL AND (tx_block IS NULL OR tx_block <= :final)
    ORDER BY created_at LIMIT :limit`,
})

const openPermit = statement({
  name: 'find-open-permit',
  reads: { nonce: text() },
  text: `SELECT nonce FROM relayed_payment
    WHERE chain = :chain AND token_address = :tokenAddress AND payer = :payer AND permit_nonce IS NOT NULL
      AND state IN ('waiting', 'sent') LIMIT 1`,
})

const save = statement({
  name: 'save-relayed-payment',
  text: `UPDATE relayed_payment SET state = :state, reason = :reason, tx_hash = :txHash, tx_block = :txBlock,
      asked_at = :askedAt, settled_at = :settledAt
    WHERE chain = :chain AND token_address = :tokenAddress AND payer = :payer AND nonce = :nonce`,
  writes: relayTable,
})

const reverted = statement({
  name: 'count-reverted-relays',
  reads: { count: int8() },
  text: `SELECT count(*) AS count FROM relayed_payment
    WHERE chain = :chain AND payer = :payer AND reason = 'reverted' AND created_at > :since`,
})

const prune = statement({
  name: 'prune-relayed-payments',
  text: `DELETE FROM relayed_payment WHERE chain = :chain AND state = 'failed' AND settled_at < :before`,
})

export type RelayTransaction = {
  readonly authorization: string
  readonly hash: Hex
  readonly state: 'signed' | 'mined' | 'reverted' | 'replaced'
}

export async function findRelayTransactions(
  db: Database,
  chain: number,
  keys: readonly string[],
): Promise<Map<string, RelayTransaction[]>> {
  const found = new Map<string, RelayTransaction[]>()
  if (keys.length === 0) return found
  for (const each of await db.rows(findTransactions({ chain, keys })))
    found.set(each.authorization, [...(found.get(each.authorization) ?? []), each])
  return found
}

/** Sums relay and gap-filling fees since a time, in wei. Pending transactions count at their maximum fee. */
export async function sumRelayFees(db: Database, chain: number, since: UnixMs): Promise<bigint> {
  return (await db.row(sum({ chain, since })))?.fees ?? 0n
}

const findTransactions = statement({
  name: 'find-relay-transactions',
  reads: { authorization: text<string>(), hash: text<Hex>(), state: text<RelayTransaction['state']>() },
  text: `SELECT detail->>'authorization' AS authorization, hash, state FROM outgoing_transaction
    WHERE kind = 'relay' AND chain = :chain AND detail->>'authorization' = ANY(:keys) ORDER BY nonce, attempt`,
})

const sum = statement({
  name: 'sum-relay-fees',
  reads: { fees: optional(numeric<bigint>()) },
  text: `SELECT sum(coalesce(fee, gas * max_fee_per_gas)) AS fees FROM outgoing_transaction
    WHERE chain = :chain AND created_at > :since AND state <> 'replaced'
      AND kind IN ('relay', 'fill') AND (kind = 'relay' OR detail->>'insteadOf' = 'relay')`,
})

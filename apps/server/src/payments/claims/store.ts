import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { count, numeric, optional, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { UnlistedToken } from '../ledger/unmatched.ts'
import { storedUnlisted } from '../ledger/unmatched-store.ts'
import type { Claim } from './claim.ts'

export async function listClaims(db: Database, merchant: Wallet, unmatchedId: string): Promise<Claim[]> {
  return db.rows(list({ merchant, unmatchedIds: [unmatchedId] }))
}

export async function listClaimsOf(
  db: Database,
  merchant: Wallet,
  unmatchedIds: readonly string[],
): Promise<ReadonlyMap<string, Claim[]>> {
  if (unmatchedIds.length === 0) return new Map()
  return Map.groupBy(await db.rows(list({ merchant, unmatchedIds })), ({ unmatchedId }) => unmatchedId)
}

export async function insertClaim(tx: Database, claim: Claim): Promise<void> {
  await tx.run(insert(claim))
  await tx.run(insertCase({ id: claim.id, merchant: claim.merchant, unmatchedId: claim.unmatchedId }))
}

export async function replaceClaim(tx: Database, claim: Claim): Promise<void> {
  await tx.run(replace(claim))
}

export async function findCasePlace(
  db: Database,
  id: string,
): Promise<{ merchant: Wallet; unmatchedId: string } | undefined> {
  return db.row(findCase({ id }))
}

/** Unmatched payment that can be claimed: `open`, or `kept`, which the merchant can still change. */
export type ClaimableRow = {
  readonly merchant: Wallet
  readonly id: string
  readonly txHash: Hex
  readonly logIndex: number
  readonly tokenAddress: Wallet
  readonly unlisted?: UnlistedToken | undefined
  readonly amount: bigint
  readonly payer: Wallet | undefined
  readonly source: string | undefined
  readonly at: number
}

export async function listOwners(
  db: Database,
  chain: number,
  txHash: string,
  limit: number,
): Promise<Wallet[]> {
  return (await db.rows(owners({ chain, txHash, limit }))).map(({ merchant }) => merchant)
}

export async function listClaimable(
  db: Database,
  merchant: Wallet,
  transaction: { readonly chain: number; readonly txHash: string },
  limit: number,
): Promise<ClaimableRow[]> {
  return db.rows(claimable({ merchant, ...transaction, limit }))
}

const claimTable = table<Claim>('payment_claim', {
  merchant: text(),
  unmatchedId: text(),
  id: text(),
  wallet: optional(text()),
  origin: optional(text()),
  refundAddress: text(),
  contact: optional(text()),
  note: optional(text()),
  madeAt: time(),
})

const list = statement({
  name: 'list-payment-claims',
  reads: claimTable,
  text: `SELECT ${columnsOf(claimTable)} FROM payment_claim
    WHERE merchant = :merchant AND unmatched_id = ANY(:unmatchedIds::text[]) ORDER BY made_at, id`,
})

const insert = statement({
  name: 'insert-payment-claim',
  writes: claimTable,
  text: `INSERT INTO payment_claim ${valuesOf(claimTable)}`,
})

const replace = statement({
  name: 'replace-payment-claim',
  writes: claimTable,
  text: `UPDATE payment_claim SET wallet = :wallet, refund_address = :refundAddress, contact = :contact, note = :note,
      made_at = :madeAt
    WHERE merchant = :merchant AND unmatched_id = :unmatchedId AND id = :id`,
})

const insertCase = statement({
  name: 'insert-claim-case',
  text: 'INSERT INTO claim_case (id, merchant, unmatched_id) VALUES (:id, :merchant, :unmatchedId)',
})

const findCase = statement({
  name: 'find-claim-case',
  reads: { merchant: text<Wallet>(), unmatchedId: text() },
  text: 'SELECT merchant, unmatched_id FROM claim_case WHERE id = :id',
})

const claimableRow: Parts<ClaimableRow> = {
  merchant: text(),
  id: text(),
  txHash: text(),
  logIndex: count(),
  tokenAddress: text(),
  unlisted: storedUnlisted,
  amount: numeric(),
  payer: optional(text()),
  source: optional(text()),
  at: count(),
}

const owners = statement({
  name: 'list-unmatched-owners',
  reads: { merchant: text<Wallet>() },
  text: `SELECT merchant FROM unmatched_owner WHERE tx_hash = :txHash AND chain = :chain
    ORDER BY merchant LIMIT :limit`,
})

const claimable = statement({
  name: 'list-claimable-payments',
  reads: claimableRow,
  // A native transfer without a transaction is keyed by its block's hash, so no client can name it.
  text: `SELECT merchant, id, tx_hash, log_index, token_address, token_name, token_decimals, amount, payer, source, block_at AS at
    FROM unmatched_payment
    WHERE merchant = :merchant AND chain = :chain AND tx_hash = :txHash AND state IN ('open', 'kept')
      AND tx_hash <> block_hash
    ORDER BY log_index, id LIMIT :limit`,
})

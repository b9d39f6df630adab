import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { bool, numeric, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { type FoundLog, type KnownLog, type ReturnedLog, recogniseLogs } from './known-log.ts'
import { type Payment, type PaymentKey, paymentKey, storedBlock, textOfKey } from './payment.ts'
import { dropPlaces } from './place-store.ts'
import { paymentTable } from './store.ts'
import { noteOwners } from './unmatched.ts'

export async function listKnownLogs(
  db: Database,
  chain: number,
  merchant: Wallet,
  txHashes: readonly Hex[],
  nativeAddresses: readonly string[],
): Promise<KnownLog[]> {
  const cases = new Map<string, KnownLog>()
  const payments = new Map<string, KnownLog>()
  const know = (found: readonly KnownLog[], into: typeof cases) => {
    for (const each of found) into.set(textOfKey(each), each)
  }
  if (txHashes.length > 0) {
    know(await db.rows(listCases({ merchant, chain, txHashes })), cases)
    know(await db.rows(listOwn({ merchant, chain, txHashes })), payments)
  }
  if (nativeAddresses.length > 0) {
    know(await db.rows(listCoinCases({ merchant, chain, nativeAddresses })), cases)
    know(await db.rows(listOwnCoin({ merchant, chain, nativeAddresses })), payments)
  }
  return [
    ...[...payments].map(([key, payment]) => ({
      ...payment,
      isDecided: cases.get(key)?.isDecided ?? false,
    })),
    ...[...cases].flatMap(([key, each]) => (payments.has(key) ? [] : [each])),
  ]
}

type LostLog = PaymentKey & { readonly receiptId: ReceiptId; readonly blockHash: Hex }

/**
 * Marks payments, claims and cases in removed blocks as orphaned. Their rows stay, keyed by the hash of the
 * removed block: another block may reuse the log position.
 *
 * @returns the orphaned payments with their new keys.
 */
export async function loseLogs(
  tx: Database,
  chain: number,
  merchant: Wallet,
  keys: readonly PaymentKey[],
): Promise<LostLog[]> {
  if (keys.length === 0) return []
  const merchants = [merchant]
  const each = keys.map((key) => ({ ...key, merchant, chain }))
  const payments = await tx.rows(losePayments({ merchants, each }))
  await tx.run(loseClaims({ each: payments.map((key) => ({ ...key, chain })) }))
  await tx.run(loseCases({ merchants, each }))
  return payments
}

/**
 * Moves orphaned payments of one merchant to their new blocks. Claims and cases also move, so that each
 * payment is credited and decided once. Credits and decisions are kept.
 *
 * @returns the moved payments.
 */
export async function returnLogs(
  tx: Database,
  chain: number,
  returned: readonly ReturnedLog[],
): Promise<Payment[]> {
  const [first] = returned
  if (!first) return []
  const moved = returned.map(({ was, found: { txHash, logIndex, address, block } }) => {
    const { merchant, isDecided } = was
    return { merchant, chain, was, txHash, logIndex, address, block, isDecided }
  })
  const ofReceipts = moved.filter(({ was }) => was.receiptId !== undefined)
  const merchants = [first.was.merchant]
  const payments = ofReceipts.length > 0 ? await tx.rows(movePayments({ merchants, each: ofReceipts })) : []
  if (ofReceipts.length > 0) await tx.run(moveClaims({ each: ofReceipts }))
  await noteOwners(tx, chain, moved)
  const cases = moved.map((each) => ({
    ...each,
    isDecided: each.was.receiptId === undefined || each.isDecided,
  }))
  await tx.run(moveCases({ merchants, each: cases }))
  return payments
}

const knownLog: Parts<KnownLog> = {
  merchant: text(),
  ...paymentKey,
  receiptId: optional(text()),
  kind: optional(text()),
  source: optional(text()),
  tokenAddress: text(),
  amount: numeric(),
  payer: optional(text()),
  isLost: bool(),
  isReversed: bool(),
  isDecided: bool(),
  block: storedBlock,
}

const isTakenBack = `state = 'orphaned' AND credited_at IS NOT NULL AND accepted_at IS NULL`

const ownColumns = `merchant, tx_hash, log_index, address, receipt_id, kind, source, token_address, amount, payer,
      state = 'orphaned' AS is_lost, ${isTakenBack} AS is_reversed, false AS is_decided,
      block_number, block_hash, block_at`

const caseColumns = `merchant, tx_hash, log_index, address, NULL AS receipt_id, kind, source, token_address, amount, payer,
      state = 'orphaned' AS is_lost, false AS is_reversed,
      refund_id IS NOT NULL OR coalesce(lost_state, state) IN ('applied', 'refunded', 'kept') AS is_decided,
      block_number, block_hash, block_at`

const listOwn = statement({
  name: 'list-known-payments',
  // A generic plan may scan the whole list for each row of the merchant.
  isPlannedAnew: true,
  reads: knownLog,
  text: `SELECT ${ownColumns}
    FROM payment WHERE merchant = :merchant AND chain = :chain AND tx_hash = ANY(:txHashes)`,
})

const listCases = statement({
  name: 'list-known-cases',
  isPlannedAnew: true,
  reads: knownLog,
  text: `SELECT ${caseColumns}
    FROM unmatched_payment WHERE merchant = :merchant AND chain = :chain AND tx_hash = ANY(:txHashes)`,
})

const listOwnCoin = statement({
  name: 'list-lost-coin-payments',
  reads: knownLog,
  text: `SELECT ${ownColumns}
    FROM payment WHERE merchant = :merchant AND chain = :chain
      AND state = 'orphaned' AND log_index < 0 AND address = ANY(:nativeAddresses)`,
})

const listCoinCases = statement({
  name: 'list-lost-coin-cases',
  reads: knownLog,
  text: `SELECT ${caseColumns}
    FROM unmatched_payment WHERE merchant = :merchant AND chain = :chain
      AND state = 'orphaned' AND log_index < 0 AND address = ANY(:nativeAddresses)`,
})

// Joins on the whole key: with a constant part, the planner may scan all of a merchant's rows. The merchant
// is a separate parameter, because a list of merchants is scanned for every row.
const losePayments = statement({
  name: 'lose-payments',
  text: `UPDATE payment SET state = 'orphaned',
      address = CASE WHEN payment.log_index < 0 THEN payment.address ELSE block_hash END
    FROM unnest(:each.merchant::text[], :each.chain::int8[], :each.txHash::text[], :each.logIndex::int8[],
      :each.address::text[])
      AS gone (merchant, chain, tx_hash, log_index, address)
    WHERE payment.merchant = ANY(:merchants::text[]) AND payment.merchant = gone.merchant AND payment.chain = gone.chain AND payment.tx_hash = gone.tx_hash
      AND payment.log_index = gone.log_index AND payment.address = gone.address
      AND state <> 'orphaned'
    RETURNING payment.tx_hash, payment.log_index, payment.address, receipt_id, block_hash`,
  reads: { ...paymentKey, receiptId: text(), blockHash: text() } satisfies Parts<LostLog>,
})

const loseClaims = statement({
  name: 'lose-log-claims',
  text: `UPDATE log_claim SET address = t.address
    FROM unnest(:each.chain::int8[], :each.txHash::text[], :each.logIndex::int8[], :each.address::text[])
      AS t (chain, tx_hash, log_index, address)
    WHERE log_claim.chain = t.chain AND log_claim.tx_hash = t.tx_hash AND log_claim.log_index = t.log_index
      AND log_claim.log_index >= 0 AND log_claim.address = ''`,
})

const loseCases = statement({
  name: 'lose-unmatched-payments',
  text: `UPDATE unmatched_payment AS u SET state = 'orphaned',
      lost_state = CASE WHEN state = 'orphaned' THEN lost_state ELSE state END,
      address = CASE WHEN u.log_index < 0 THEN u.address ELSE block_hash END
    FROM unnest(:each.merchant::text[], :each.chain::int8[], :each.txHash::text[], :each.logIndex::int8[],
      :each.address::text[])
      AS gone (merchant, chain, tx_hash, log_index, address)
    WHERE u.merchant = ANY(:merchants::text[]) AND u.merchant = gone.merchant AND u.chain = gone.chain AND u.tx_hash = gone.tx_hash
      AND u.log_index = gone.log_index AND u.address = gone.address`,
})

const keysMoved = `:each.merchant::text[], :each.chain::int8[], :each.was.txHash::text[], :each.was.logIndex::int8[],
      :each.was.address::text[], :each.txHash::text[], :each.logIndex::int8[], :each.address::text[]`
const movedAs = `merchant, chain, was_hash, was_index, was_address, tx_hash, log_index, address`
const blocksMoved = `:each.block.number::int8[], :each.block.hash::text[], :each.block.at::int8[], :each.isDecided::bool[]`

const movePayments = statement({
  name: 'move-payments',
  text: `UPDATE payment SET tx_hash = moved.tx_hash, log_index = moved.log_index, address = moved.address,
      block_number = moved.number, block_hash = moved.hash, block_at = moved.at, accepted_at = NULL,
      state = CASE WHEN credited_at IS NOT NULL THEN 'credited' WHEN moved.is_decided THEN 'unmatched' ELSE 'seen' END
    FROM unnest(${keysMoved}, ${blocksMoved})
      AS moved (${movedAs}, number, hash, at, is_decided)
    WHERE payment.merchant = ANY(:merchants::text[]) AND payment.merchant = moved.merchant
      AND payment.chain = moved.chain AND payment.tx_hash = moved.was_hash AND payment.log_index = moved.was_index
      AND payment.address = moved.was_address
    RETURNING ${columnsOf(paymentTable, 'payment')}`,
  reads: paymentTable,
})

const moveClaims = statement({
  name: 'move-log-claims',
  text: `UPDATE log_claim SET tx_hash = moved.tx_hash, log_index = moved.log_index, address = moved.address
    FROM unnest(${keysMoved}) AS moved (${movedAs})
    WHERE log_claim.chain = moved.chain AND log_claim.tx_hash = moved.was_hash
      AND log_claim.log_index = moved.was_index AND log_claim.address = moved.was_address`,
})

const moveCases = statement({
  name: 'move-unmatched-payments',
  text: `UPDATE unmatched_payment AS u SET tx_hash = moved.tx_hash, log_index = moved.log_index, address = moved.address,
      block_number = moved.number, block_hash = moved.hash, block_at = moved.at,
      state = CASE WHEN moved.is_decided AND state = 'orphaned' THEN coalesce(lost_state, 'open') ELSE state END,
      lost_state = CASE WHEN moved.is_decided THEN NULL ELSE lost_state END
    FROM unnest(${keysMoved}, ${blocksMoved})
      AS moved (${movedAs}, number, hash, at, is_decided)
    WHERE u.merchant = ANY(:merchants::text[]) AND u.merchant = moved.merchant AND u.chain = moved.chain
      AND u.tx_hash = moved.was_hash AND u.log_index = moved.was_index AND u.address = moved.was_address`,
})

/** Sorts found logs into new and returned ones. Omits logs that the ledger knows. */
export async function recogniseFound<Found extends FoundLog>(
  tx: Database,
  chain: number,
  found: readonly Found[],
): Promise<{ fresh: Found[]; returned: ReturnedLog<Found>[] }> {
  const fresh: Found[] = []
  const returned: ReturnedLog<Found>[] = []
  const byMerchant = Map.groupBy(found, ({ merchant }) => merchant)
  for (const [merchant, own] of [...byMerchant].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const txHashes = [...new Set(own.map(({ txHash }) => txHash))]
    const coin = own.flatMap(({ txHash, block, address }) => (txHash === block.hash ? [address] : []))
    const known = await listKnownLogs(tx, chain, merchant, txHashes, coin)
    const recognised = recogniseLogs(known, own)
    await loseLogs(tx, chain, merchant, recognised.stale)
    await dropPlaces(tx, chain, merchant, recognised.stale)
    for (const log of recognised.fresh) fresh.push(log)
    const stale = new Set(recognised.stale.map(textOfKey))
    for (const { was, found: log } of recognised.returned)
      returned.push({ was: stale.has(textOfKey(was)) ? { ...was, ...lostKey(was) } : was, found: log })
  }
  return { fresh, returned }
}

function lostKey({ logIndex, address, block }: KnownLog) {
  return { address: logIndex < 0 ? address : block.hash }
}

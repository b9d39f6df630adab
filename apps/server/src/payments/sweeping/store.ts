import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, named, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export type UnsweptDeposit = {
  readonly merchant: Wallet
  readonly receiptId: string
  readonly token: Wallet
  readonly blockNumber: bigint
  readonly waitingSince: UnixMs | undefined
}

type SweepTarget = {
  readonly split: Wallet
  readonly reference: Hex
  readonly address: Wallet
  readonly factory: Wallet
}

type UnsweptPlace = Pick<UnsweptDeposit, 'merchant' | 'receiptId' | 'token'> | typeof beforeFirstDeposit

export const beforeFirstDeposit = { merchant: '', receiptId: '', token: '' } as const

/**
 * Lists deposits that may need a sweep: credited payments, and unmatched ones.
 *
 * A payment in an unlisted token is listed only after the merchant's decision. A waiting deposit is skipped
 * until its next check or a new payment. Deposits of a receipt with a reorged payment are skipped until the
 * reorg is settled, because they may have to be refunded.
 */
export async function listUnswept(
  db: Database,
  chain: number,
  now: UnixMs,
  of: readonly Wallet[],
  after: UnsweptPlace,
  limit: number,
): Promise<UnsweptDeposit[]> {
  const { merchant, receiptId, token } = after
  return db.rows(unswept({ chain, of, merchant, receiptId, token, limit, now }))
}

async function listMerchantsWithUnswept(db: Database): Promise<Wallet[]> {
  return (await db.rows(withUnswept())).map(({ merchant }) => merchant)
}

export async function listSweepTargets(
  db: Database,
  deposits: readonly UnsweptDeposit[],
): Promise<Map<string, SweepTarget[]>> {
  const byReceipt = new Map(deposits.map((deposit) => [receiptKey(deposit), deposit]))
  const found = new Map<string, SweepTarget[]>([...byReceipt.keys()].map((key) => [key, []]))
  if (byReceipt.size === 0) return found
  const receipts = [...byReceipt.values()]
  const merchants = [...new Set(receipts.map(({ merchant }) => merchant))]
  const rows = await db.rows(targets({ merchants, each: receipts }))
  for (const row of rows)
    found.get(receiptKey({ merchant: row.merchant as Wallet, receiptId: row.receiptId }))?.push({
      split: row.splitAddress as Wallet,
      reference: row.reference as Hex,
      address: row.depositAddress as Wallet,
      factory: row.factory as Wallet,
    })
  return found
}

export function receiptKey({ merchant, receiptId }: Pick<UnsweptDeposit, 'merchant' | 'receiptId'>): string {
  return `${merchant} ${receiptId}`
}

/**
 * Marks payments as swept by the first sweep in a later block, because a sweep moves the whole balance.
 *
 * Payments below block `oldBelow` without a sweep are marked `none`: they were never at a deposit address.
 */
export async function markSwept(
  db: Database,
  chain: number,
  deposit: UnsweptDeposit,
  oldBelow: bigint,
): Promise<void> {
  const money = { ...deposit, chain }
  await db.run(markPayments(money))
  await db.run(markUnmatched(money))
  if (deposit.blockNumber >= oldBelow) return
  await db.run(giveUpPayments({ ...money, oldBelow }))
  await db.run(giveUpUnmatched({ ...money, oldBelow }))
}

/** Unmarks payments whose sweep a reorg removed. */
export async function pruneSweeps(
  tx: Database,
  merchant: Wallet,
  chain: number,
  sweeps: readonly Hex[],
): Promise<void> {
  if (sweeps.length === 0) return
  await tx.run(prunePayments({ merchant, chain, sweeps }))
  await tx.run(pruneUnmatched({ merchant, chain, sweeps }))
}

const unswept = statement({
  name: 'list-unswept-deposits',
  reads: {
    merchant: text<Wallet>(),
    receiptId: text(),
    token: named('token_address', text<Wallet>()),
    blockNumber: int8(),
    waitingSince: named('since', optional(time())),
  },
  text: `SELECT deposit.*, waiting.since FROM (
      SELECT merchant, receipt_id, token_address, max(block_number) AS block_number FROM (
        SELECT merchant, receipt_id, token_address, block_number FROM payment
        WHERE merchant = ANY(:of::text[]) AND chain = :chain AND swept_tx IS NULL AND kind <> 'call' AND state IN ('credited', 'unmatched')
          AND NOT (state = 'credited' AND EXISTS (SELECT 1 FROM receipt AS held
            WHERE held.merchant = ANY(:of::text[]) AND held.merchant = payment.merchant AND held.id = payment.receipt_id
              AND held.payment ->> 'state' = 'orphaned' AND held.status IN ('paid', 'reconciled', 'refund_requested')))
        UNION ALL
        SELECT merchant, receipt_id, token_address, block_number FROM unmatched_payment
        WHERE merchant = ANY(:of::text[]) AND chain = :chain AND swept_tx IS NULL AND receipt_id IS NOT NULL AND state <> 'orphaned'
          AND kind IS DISTINCT FROM 'call' AND (reason <> 'unlisted-token' OR state IN ('kept', 'refunded'))
      ) AS unswept
      WHERE (merchant, receipt_id, token_address) > (:merchant, :receiptId, :token)
      GROUP BY merchant, receipt_id, token_address
    ) AS deposit
    LEFT JOIN sweep_waiting AS waiting ON waiting.merchant = ANY(:of::text[]) AND waiting.merchant = deposit.merchant AND waiting.chain = :chain
      AND waiting.receipt_id = deposit.receipt_id AND waiting.token_address = deposit.token_address
    WHERE waiting.merchant IS NULL OR waiting.look_at <= :now OR waiting.block_number < deposit.block_number
    ORDER BY merchant, receipt_id, token_address LIMIT :limit`,
})

const withUnswept = statement({
  name: 'list-merchants-with-unswept-deposits',
  reads: { merchant: text<Wallet>() },
  text: `SELECT merchant FROM payment WHERE swept_tx IS NULL AND kind <> 'call'
    UNION SELECT merchant FROM unmatched_payment WHERE swept_tx IS NULL AND receipt_id IS NOT NULL`,
})

const targets = statement({
  name: 'list-sweep-targets',
  reads: {
    merchant: text(),
    receiptId: text(),
    splitAddress: text(),
    reference: text(),
    depositAddress: text(),
    factory: text(),
  },
  text: `SELECT attempt.merchant, attempt.receipt_id, split_address, reference, deposit_address, factory
    FROM unnest(:each.merchant::text[], :each.receiptId::text[]) AS asked (merchant, receipt_id)
    JOIN attempt ON attempt.merchant = ANY(:merchants::text[]) AND attempt.merchant = asked.merchant AND attempt.receipt_id = asked.receipt_id`,
})

// Uses the index to find one sweep per payment, because anyone can send dust and call `sweep`.
const firstSweep = `SELECT sweep.tx_hash FROM attempt
  CROSS JOIN LATERAL (SELECT a.tx_hash FROM split_arrival AS a
    WHERE a.merchant = :merchant AND a.chain = :chain AND a.reference = attempt.reference AND a.token_address = :token
      AND a.kind = 'sweep' AND a.orphaned_at IS NULL AND a.receipt_id IS NOT NULL
      AND a.block_number > payment.block_number
    ORDER BY a.block_number, a.log_index LIMIT 1) AS sweep
  WHERE attempt.merchant = :merchant AND attempt.receipt_id = :receiptId AND attempt.id = payment.attempt_id`

const markPayments = statement({
  name: 'mark-payments-swept',
  text: `UPDATE payment SET swept_tx = (${firstSweep})
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND token_address = :token
      AND swept_tx IS NULL AND kind <> 'call' AND state IN ('credited', 'unmatched') AND (${firstSweep}) IS NOT NULL`,
})

const firstSweepOfReceipt = `SELECT a.tx_hash FROM split_arrival AS a
  WHERE a.merchant = :merchant AND a.chain = :chain AND a.receipt_id = :receiptId AND a.token_address = :token
    AND a.kind = 'sweep' AND a.orphaned_at IS NULL AND a.block_number > unmatched_payment.block_number
  ORDER BY a.block_number, a.log_index LIMIT 1`

const markUnmatched = statement({
  name: 'mark-unmatched-swept',
  text: `UPDATE unmatched_payment SET swept_tx = (${firstSweepOfReceipt})
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND token_address = :token
      AND swept_tx IS NULL AND state <> 'orphaned' AND (${firstSweepOfReceipt}) IS NOT NULL`,
})

const giveUpPayments = statement({
  name: 'give-up-payment-sweeps',
  text: `UPDATE payment SET swept_tx = 'none'
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND token_address = :token
      AND block_number < :oldBelow
      AND swept_tx IS NULL AND kind <> 'call' AND state IN ('credited', 'unmatched')`,
})

const giveUpUnmatched = statement({
  name: 'give-up-unmatched-sweeps',
  text: `UPDATE unmatched_payment SET swept_tx = 'none'
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND token_address = :token
      AND block_number < :oldBelow
      AND swept_tx IS NULL AND state <> 'orphaned'`,
})

const prunePayments = statement({
  name: 'forget-payment-sweeps',
  text: `UPDATE payment SET swept_tx = NULL WHERE merchant = :merchant AND chain = :chain AND swept_tx = ANY(:sweeps)`,
})

const pruneUnmatched = statement({
  name: 'forget-unmatched-sweeps',
  text: `UPDATE unmatched_payment SET swept_tx = NULL WHERE merchant = :merchant AND chain = :chain
    AND swept_tx = ANY(:sweeps)`,
})

const depositsPerPage = 200
const merchantsAtOnce = 1_000

type WalkNeeds = {
  readonly db: Database
  readonly chain: { readonly id: number }
  readonly clock: Clock
}

export async function* walkUnswept(needs: WalkNeeds): AsyncGenerator<UnsweptDeposit[], void> {
  const merchants = await listMerchantsWithUnswept(needs.db)
  for (let from = 0; from < merchants.length; from += merchantsAtOnce)
    yield* walkOf(needs, merchants.slice(from, from + merchantsAtOnce))
}

async function* walkOf(
  { db, chain, clock }: WalkNeeds,
  merchants: readonly Wallet[],
): AsyncGenerator<UnsweptDeposit[], void> {
  let after: UnsweptPlace = beforeFirstDeposit
  for (;;) {
    const from: UnsweptPlace = after
    const deposits = await listUnswept(db, chain.id, clock.now(), merchants, from, depositsPerPage)
    yield deposits
    const last = deposits.at(-1)
    if (deposits.length < depositsPerPage || !last) return
    after = last
  }
}

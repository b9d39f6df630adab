import type { UnmatchedPayment, UnmatchedQuery } from '@sluice/protocol/api/receipts/refunds.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import { readPage, timeCursor } from '../../kernel/page.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { findKnownRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { isCounted, type Refund } from '../../receipts/refunds/refund.ts'
import { listRefundsById } from '../../receipts/refunds/store.ts'
import { isLostReceipt } from '../attempts/attempt.ts'
import { viewClaims } from '../claims/claim.ts'
import { listClaimsOf } from '../claims/store.ts'
import { worthOfUnits } from '../ledger/evaluate-payment.ts'
import type { UnmatchedReason } from '../ledger/match-transfer.ts'
import { listUnmatched, type StoredUnmatched, type UnmatchedState } from '../ledger/unmatched-store.ts'

const shown: readonly UnmatchedState[] = ['open', 'applied', 'refunded', 'kept']

/**
 * Lists a page of unmatched payments, newest first. Payments that were reorged out are excluded.
 *
 * @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor from another list.
 */
export async function listUnmatchedPage(
  needs: SuggestionNeeds,
  merchant: Wallet,
  query: UnmatchedQuery,
): Promise<{ payments: UnmatchedPayment[]; nextCursor: string | null }> {
  const { state = 'open' } = query
  const states = state === 'all' ? shown : [state]
  const { page, nextCursor } = await readPage(query, cursor, (before, limit) =>
    listUnmatched(needs.db, merchant, { states, limit, before }),
  )
  return { payments: await viewWithClaims(needs, merchant, page), nextCursor }
}

export async function viewWithClaims(
  needs: SuggestionNeeds,
  merchant: Wallet,
  payments: readonly StoredUnmatched[],
): Promise<UnmatchedPayment[]> {
  const ids = payments.map(({ id }) => id)
  const claims = await listClaimsOf(needs.db, merchant, ids)
  const refundIds = payments.flatMap(({ decision }) => decision?.refundId ?? [])
  const refunds = await listRefundsById(needs.db, merchant, refundIds)
  const suggested = await Promise.all(payments.map((payment) => findSuggestion(needs, payment)))
  return payments.map((payment, i) => ({
    ...viewUnmatched(payment, needs.chain.tokens),
    suggestedReceiptId: suggested[i] ?? null,
    refund: viewRefund(refunds.find(({ id }) => id === payment.decision?.refundId)),
    ...viewClaims(claims.get(payment.id) ?? []),
  }))
}

const cursor = timeCursor<'seenAt', string>('seenAt', parseReceiptId)

function viewRefund(refund: Refund | undefined): UnmatchedPayment['refund'] {
  if (!refund) return null
  const { txHash, mark, error } = refund
  return {
    txHash: txHash ?? null,
    mark: mark ?? null,
    error: error ?? null,
    isCounted: isCounted(refund),
  }
}

function viewUnmatched(
  payment: StoredUnmatched,
  tokens: readonly Token[],
): Omit<UnmatchedPayment, 'suggestedReceiptId' | 'refund' | 'claim' | 'otherClaims'> {
  const { state, block, decision } = payment
  assert(state !== 'orphaned', 'payments that a reorg removed are never listed')
  const token = tokens.find(({ address }) => address === payment.tokenAddress)
  return {
    id: payment.id,
    state,
    reason: payment.reason,
    receiptId: payment.receiptId && !isLostReceipt(payment.receiptId) ? payment.receiptId : null,
    token: token?.symbol ?? null,
    tokenAddress: payment.tokenAddress,
    tokenName: payment.unlisted?.name ?? null,
    amount: writeTokenAmount(
      payment.amount as TokenUnits,
      token?.decimals ?? payment.unlisted?.decimals ?? 0,
    ),
    amountRaw: payment.amount.toString(),
    payer: payment.payer ?? null,
    // The key of a native payment without a transaction contains the block's hash.
    transactionHash: payment.txHash === block.hash ? null : payment.txHash,
    blockNumber: Number(block.number),
    timestamp: block.at,
    decision: decision
      ? {
          appliedTo: decision.appliedTo ?? null,
          refundId: decision.refundId ?? null,
          note: decision.note ?? null,
          by: decision.by,
          at: decision.at,
        }
      : null,
  }
}

type SuggestionNeeds = {
  readonly db: Database
  readonly chain: { readonly tokens: readonly Token[] }
  readonly rates: RateBook
}

const aroundMs = 7 * 86_400_000
/** Payments as an attempt asks for them, without a known attempt. */
const suggested: ReadonlySet<UnmatchedReason> = new Set(['unknown-deposit', 'unknown-reference'])

/**
 * Suggests a receipt if exactly one unpaid receipt in the period matches the amount: to the cent for
 * stablecoins, within 1 % otherwise.
 */
async function findSuggestion(
  { db, chain, rates }: SuggestionNeeds,
  { merchant, state, reason, tokenAddress, amount, block }: StoredUnmatched,
): Promise<ReceiptId | undefined> {
  const token = chain.tokens.find(({ address }) => address === tokenAddress)
  const rate = token && findKnownRate({ rates }, token.symbol)
  if (state !== 'open' || !suggested.has(reason) || !rate) return undefined
  const cents = worthOfUnits(amount as TokenUnits, { token, rate: rate.usdPerUnit })
  const band = token.isStablecoin ? 0n : cents / 100n
  const asked = { merchant, least: cents - band, most: cents + band, since: block.at - aroundMs }
  const [found, ...others] = await db.rows(list(asked))
  return others.length === 0 ? found?.id : undefined
}

const list = statement({
  name: 'list-receipts-of-amount',
  reads: { id: text<ReceiptId>() },
  text: `SELECT id FROM receipt WHERE merchant = :merchant AND created_at > :since
      AND standing IN ('generated', 'pending', 'failed') AND total_cents + fee_cents BETWEEN :least AND :most
    ORDER BY created_at DESC, id DESC LIMIT 2`,
})

import type { UnmatchedPayment, UnmatchedQuery } from '@sluice/protocol/api/receipts/refunds.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import { readPage, timeCursor } from '../../kernel/page.ts'
import { isCounted, type Refund } from '../../receipts/refunds/refund.ts'
import { listRefundsById } from '../../receipts/refunds/store.ts'
import { isLostReceipt } from '../attempts/attempt.ts'
import { viewClaims } from '../claims/claim.ts'
import { listClaimsOf } from '../claims/store.ts'
import { listUnmatched, type StoredUnmatched, type UnmatchedState } from '../ledger/unmatched-store.ts'
import { findSuggestion, type SuggestionNeeds } from './find-suggestion.ts'

const shown: readonly UnmatchedState[] = ['open', 'applied', 'refunded', 'kept']

/**
 * A page of the merchant's inbox, newest first. Money that a reorg took back is not in it.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
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

/** Money of the inbox as the API shows it, each with what was claimed of it. */
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

// Ids of the inbox have the form of receipts' ids.
const cursor = timeCursor<'seenAt', string>('seenAt', parseReceiptId)

function viewRefund(refund: Refund | undefined): UnmatchedPayment['refund'] {
  if (!refund) return null
  const { txHash, mark, fault } = refund
  return {
    txHash: txHash ?? null,
    mark: mark ?? null,
    fault: fault ?? null,
    isCounted: isCounted(refund),
  }
}

function viewUnmatched(
  payment: StoredUnmatched,
  tokens: readonly Token[],
): Omit<UnmatchedPayment, 'suggestedReceiptId' | 'refund' | 'claim' | 'otherClaims'> {
  const { state, block, decision } = payment
  assert(state !== 'orphaned', 'money that a reorg took back is shown to nobody')
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
    // Coin without a transaction of its own is keyed by the block's hash, which is no transaction's.
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

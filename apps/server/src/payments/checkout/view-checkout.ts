import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { SignedPaymentView } from '@sluice/protocol/api/paying/signed-payments.ts'
import type { FailureFields } from '@sluice/protocol/failures.ts'
import { type Cents, formatUnits, writeCents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { findKnownRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { customerTotalCents, proofOf, type Receipt } from '../../receipts/receipt.ts'
import { countedCents, isCounted, type Refund } from '../../receipts/refunds/refund.ts'
import { type FinalityPolicy, type FinalityTags, finalityOf, requiredFinality } from '../cursors/finality.ts'
import { askedUnits, type Worth } from '../ledger/evaluate-payment.ts'
import type { RelayedPayment, SigningKind } from '../relaying/authorization.ts'
import type { Submitter } from '../relaying/relayer.ts'

export function viewBuyerReceipt(receipt: Receipt) {
  const { pricing } = receipt
  return {
    receiptId: receipt.id,
    recipient: receipt.merchant,
    brandName: receipt.brandName,
    status: receipt.status,
    currency: receipt.currency,
    totalUsd: writeCents(receipt.totalCents),
    ...(receipt.nativeTotalCents !== undefined && { total: writeCents(receipt.nativeTotalCents) }),
    feeUsd: writeCents(receipt.feeCents),
    customerTotalUsd: writeCents(customerTotalCents(receipt)),
    lineItems: receipt.lines.map((line) => ({
      label: line.label,
      priceUsd: writeCents(line.usdCents),
      ...(line.qty !== undefined && { qty: line.qty }),
      ...(line.nativeCents !== undefined && { amount: writeCents(line.nativeCents) }),
    })),
    ...(pricing && {
      valuation: {
        currency: pricing.valuation.currency,
        usdPerUnit: Number(formatUnits(pricing.valuation.usdPerUnit, 8)),
        quotedAt: pricing.valuation.quotedAt,
        provider: pricing.valuation.provider,
      },
    }),
    createdAt: receipt.createdAt,
    expiresAt: receipt.expiresAt ?? null,
    cancelledAt: receipt.cancelledAt ?? null,
    failure: viewFailure(receipt.failure),
  }
}

/**
 * Returns the failure without advice to the merchant. A sanctions match appears as a blocked transaction:
 * only the provider may disclose it.
 */
export function viewFailure(failure: FailureFields | undefined): CheckoutView['failure'] {
  if (!failure) return null
  const { failureCode: code, failureCategory: category, providerRequestId } = failure
  return {
    code:
      code === 'PORTAL_PAY_SANCTIONS_MATCH'
        ? 'PORTAL_PAY_TRANSACTION_BLOCKED'
        : (code ?? 'PORTAL_PAYMENT_FAILED'),
    category: category ?? 'system',
    providerRequestId,
  }
}

/**
 * Returns the origin of the receipt's own URL, or otherwise the storefront's URL. Drops the path of the
 * receipt's URL, because it may prove a payment.
 */
export function shopUrl(
  { returnUrl, redirectUrl }: Pick<Receipt, 'returnUrl' | 'redirectUrl'>,
  storefront: string | undefined,
): string | null {
  const url = returnUrl ?? redirectUrl
  if (url === undefined || url === storefront) return storefront ?? null
  return URL.canParse(url) ? `${new URL(url).origin}/` : null
}

/**
 * Returns the accepted tokens. The brand's default comes first, because the page preselects the first token.
 *
 * @param due - The unpaid part; absent if nothing is due.
 */
export function viewTokens(
  tokens: readonly Token[],
  first: TokenSymbol,
  rates: RateBook,
  due: { readonly total: Cents; readonly live: readonly Worth[] } | undefined,
): CheckoutView['tokens'] {
  const estimate = (token: Token) => {
    const rate = due && findKnownRate({ rates }, token.symbol)
    return rate ? askedUnits(due.total, due.live, { token, rate: rate.usdPerUnit }).toString() : null
  }
  return [...tokens]
    .sort((a, b) => Number(b.symbol === first) - Number(a.symbol === first))
    .map((token) => {
      const { symbol, name, decimals, address } = token
      return { symbol, name, decimals, address, estimate: estimate(token) }
    })
}

export function viewPayment(receipt: Receipt, tags: FinalityTags, policy: FinalityPolicy) {
  const { payment } = receipt
  const block = payment?.blockNumber
  const required = requiredFinality(policy, customerTotalCents(receipt))
  // Number of blocks between the head and the newest block with the required finality, as an estimate of the
  // wait.
  const depth = required === 'seen' ? 0n : tags.latest - (required === 'safe' ? tags.safe : tags.final)
  const above = block === undefined ? 0n : tags.latest - block + 1n
  return {
    state: payment?.state ?? 'none',
    provenBy: proofOf(receipt) ?? null,
    token: payment?.token ?? null,
    decimals: payment?.decimals ?? 0,
    due: (payment?.due ?? 0n).toString(),
    received: (payment?.received ?? 0n).toString(),
    missing: (payment?.missing ?? 0n).toString(),
    excess: (payment?.excess ?? 0n).toString(),
    otherTokens: (payment?.others ?? []).map(({ token, decimals, units }) => ({
      token,
      decimals,
      received: units.toString(),
    })),
    confirmations: above > 0n ? Number(above) : 0,
    requiredConfirmations: Number(depth) + 1,
    finality: block === undefined || payment?.finality === 'none' ? 'none' : finalityOf(tags, block),
  }
}

export function viewRefunds(refunds: readonly Refund[]): Pick<CheckoutView, 'refunds' | 'refundedUsd'> {
  const views = refunds.flatMap((refund) => {
    const { kind, usdCents, error: reason, txHash } = refund
    if (kind === 'unmatched' || usdCents === undefined || reason !== undefined) return []
    return [
      { usd: writeCents(usdCents), kind, isConfirmed: isCounted(refund), transactionHash: txHash ?? null },
    ]
  })
  return { refunds: views, refundedUsd: writeCents(countedCents(refunds)) }
}

export function viewSignedPayment(relay: RelayedPayment): SignedPaymentView {
  return {
    state: relay.state,
    reason: relay.reason ?? null,
    attemptId: relay.attemptId,
    payer: relay.payer,
    amount: relay.amount.toString(),
    transactionHash: relay.txHash ?? null,
    createdAt: relay.createdAt,
  }
}

/**
 * Lists the tokens that can currently be paid with one signature. The list is empty if the relayer has no gas
 * or the chain is unavailable.
 */
export async function listSignableTokens(
  { chain, relayer }: { chain: Pick<Chain, 'tokens'>; relayer: Submitter | undefined },
  receipt: Receipt,
): Promise<Pick<CheckoutView, 'signableTokens' | 'permit2Tokens'>> {
  const none = { signableTokens: [], permit2Tokens: [] }
  if (!relayer || isSettled(receipt.status) || customerTotalCents(receipt) < relayer.terms.minCents)
    return none
  const findKind = async (token: Token) => {
    const kind = (await relayer.tokens.findWay(token))?.kind
    return kind && !(await relayer.readState(kind)).error ? kind : undefined
  }
  try {
    const kinds = await Promise.all(chain.tokens.map(findKind))
    const symbolsOf = (isWanted: (kind: SigningKind) => boolean) =>
      chain.tokens.flatMap(({ symbol }, i) => (kinds[i] && isWanted(kinds[i]) ? [symbol] : []))
    return {
      signableTokens: symbolsOf((kind) => kind !== 'permit2'),
      permit2Tokens: symbolsOf((kind) => kind === 'permit2'),
    }
  } catch (error) {
    if (error instanceof ChainUnavailable) return none
    throw error
  }
}

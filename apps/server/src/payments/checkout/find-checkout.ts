import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { isMadeReceiptId, parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AmountLimits, OnrampProvider, PaymentMethod } from '../../onramp/provider.ts'
import type { Providers } from '../../onramp/registry.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { afterPayment } from '../../receipts/after-payment.ts'
import { customerTotalCents, type Receipt, standingOf } from '../../receipts/receipt.ts'
import { listRefunds } from '../../receipts/refunds/store.ts'
import { findReceipt } from '../../receipts/store.ts'
import { findShop } from '../../shop/store.ts'
import { brandBaseUrl } from '../../site/brand.ts'
import { findBrand, isShownAt } from '../../site/find-brand.ts'
import { findCurrentSplit, findSplitVersion } from '../../split/find-split.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { listAttempts } from '../attempts/store.ts'
import { viewAttempt } from '../attempts/view-attempt.ts'
import { type FinalityPolicy, findPolicy } from '../cursors/finality.ts'
import { findTags } from '../cursors/store.ts'
import { askedUnits, worthInCents } from '../ledger/evaluate-payment.ts'
import { findNewestPayment, sumLivePayments } from '../ledger/store.ts'
import { listClaimableHashes } from '../ledger/unmatched-store.ts'
import type { Submitter } from '../relaying/relayer.ts'
import { listRelaysOfReceipt } from '../relaying/store.ts'
import {
  listSignableTokens,
  shopUrl,
  viewBuyerReceipt,
  viewPayment,
  viewRefunds,
  viewSignedPayment,
  viewTokens,
} from './view-checkout.ts'

export type Asked = {
  /** The merchant's wallet. Without the wallet, only ids that Sluice generated can be found. */
  readonly recipient: string | undefined
  /** `Host` of the request: a receipt is shown only on its brand's domains. */
  readonly host: string | undefined
}

/**
 * Returns the receipt for a payment URL.
 *
 * @throws {ApiError} `not_found`, also if the receipt belongs to another recipient or another brand.
 */
export async function getPayableReceipt(
  needs: { db: Database },
  id: string,
  { recipient, host }: Asked,
): Promise<Receipt> {
  const receiptId = parseReceiptId(id)
  const merchant =
    recipient !== undefined
      ? parseWallet(recipient)
      : isMadeReceiptId(id)
        ? await findOwner(needs.db, id)
        : undefined
  const receipt = receiptId && merchant && (await findReceipt(needs.db, merchant, receiptId))
  if (!receipt || !(await isShownAt(needs.db, receipt.brandKey, host)))
    throw new ApiError('not_found', 'Receipt not found')
  return receipt
}

export type FindCheckoutNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Chain
  readonly policy: FinalityPolicy
  readonly offer: { readonly rates: RateBook } & OnrampLimits
  readonly relayer: Submitter | undefined
  readonly onramp: Providers
  readonly onrampLimits: OnrampLimits
  readonly baseUrl: string
}

const maxUnmatched = 5

/** Returns the public view of a receipt, without billing data, e-mail address or metadata. */
export async function findCheckout(
  needs: FindCheckoutNeeds,
  id: string,
  asked: Asked,
): Promise<CheckoutView> {
  const { db, chain } = needs
  const receipt = await getPayableReceipt(needs, id, asked)
  const { merchant, splitVersion } = receipt
  const isPaid = isSettled(receipt.status)
  const [attempts, live, newest, tags, policy, brand, split, refunds, shop, claimable, signable, relays] =
    await Promise.all([
      listAttempts(db, merchant, receipt.id),
      sumLivePayments(db, merchant, receipt.id),
      findNewestPayment(db, merchant, receipt.id),
      findTags(db, chain.id),
      findPolicy(db, needs.policy, merchant),
      findBrand(db, receipt.brandKey),
      splitVersion === undefined
        ? findCurrentSplit(db, merchant)
        : findSplitVersion(db, merchant, splitVersion),
      isPaid || receipt.cancelledAt !== undefined ? listRefunds(db, merchant, receipt.id) : [],
      receipt.origin === 'order' && !isPaid ? findShop(db, merchant) : undefined,
      listClaimableHashes(db, merchant, receipt.id, maxUnmatched),
      listSignableTokens(needs, receipt),
      needs.relayer ? listRelaysOfReceipt(db, merchant, receipt.id) : [],
    ])
  const total = customerTotalCents(receipt)
  const now = chain.time.now()
  const attempt = isPaid
    ? undefined
    : attempts.findLast(
        (each) => each.provider === undefined && isOpen(each, now) && each.totalCents === total,
      )
  const isConfirming = worthInCents(live) > (receipt.payment?.creditedCents ?? 0n)
  const canPay = split?.deployedAt !== undefined && split.chain === chain.id
  const due = isPaid || !canPay ? undefined : { total, live }
  return {
    ...viewBuyerReceipt(receipt),
    chain: { id: chain.id, name: chain.name, explorerUrl: chain.explorerUrl ?? null },
    tokens: viewTokens(chain.tokens, brand.defaultPaymentToken, needs.offer.rates, due),
    canPay,
    isWithinLimits: total >= needs.offer.minCents && total <= needs.offer.maxCents,
    attempt: attempt ? viewAttempt(attempt, askedUnits(total, live, attempt)) : null,
    ...(due ? signable : { signableTokens: [], permit2Tokens: [] }),
    signedPayment: relays[0] ? viewSignedPayment(relays[0]) : null,
    onramp: canPay ? viewOnramp(receipt, attempts, needs, { now, isConfirming }) : null,
    payment: {
      ...viewPayment(receipt, tags, policy),
      transactionHash: newest?.txHash ?? receipt.transactionHash ?? null,
      payer: newest?.payer ?? receipt.buyerWallet ?? null,
    },
    unmatched: claimable.map((transactionHash) => ({ transactionHash })),
    ...viewRefunds(refunds),
    shopUrl: shopUrl(receipt, shop?.slug && `${brandBaseUrl(brand, needs.baseUrl)}/shop/${shop.slug}`),
    returnUrl: isPaid ? (afterPayment(receipt).url ?? null) : null,
    hasOnSuccess: afterPayment(receipt).script !== undefined,
    transactionHash: receipt.transactionHash ?? null,
  }
}

function viewOnramp(
  receipt: Receipt,
  attempts: readonly Attempt[],
  { onramp: { current }, onrampLimits }: FindCheckoutNeeds,
  moment: { readonly now: UnixMs; readonly isConfirming: boolean },
): CheckoutView['onramp'] {
  const offered = offerOnramp(receipt, current, onrampLimits, moment)
  if (!offered || !current) return null
  const asked = attempts.find(({ id }) => id === receipt.currentAttempt)
  const isBegun = asked?.provider !== undefined && receipt.providerSession !== undefined
  const session =
    isBegun && asked.closedAt === undefined
      ? 'open'
      : isBegun && receipt.status === 'failed'
        ? 'failed'
        : null
  return { provider: current.name, methods: [...offered.methods], session }
}

async function findOwner(db: Database, id: string): Promise<Wallet | undefined> {
  const row = await db.row(findMadeOwner({ id }))
  return parseWallet(row?.merchant)
}

const findMadeOwner = statement({
  name: 'find-made-receipt-owner',
  reads: { merchant: text() },
  text: `SELECT merchant FROM made_receipt_id WHERE id = :id`,
})

type OnSuccess = { readonly script: string; readonly merchant: Wallet }

/**
 * Returns the script to run after payment, or `undefined` if the receipt is unpaid or has no script.
 *
 * @throws {ApiError} `not_found`
 */
export async function findOnSuccess(
  needs: { db: Database },
  id: string,
  asked: Asked,
): Promise<OnSuccess | undefined> {
  const receipt = await getPayableReceipt(needs, id, asked)
  const isPaid = receipt.status === 'paid' || receipt.status === 'reconciled'
  const script = isPaid ? afterPayment(receipt).script : undefined
  return script === undefined ? undefined : { script, merchant: receipt.merchant }
}

export type OnrampLimits = AmountLimits

export function narrowLimits({ limits }: OnrampProvider, own: OnrampLimits): AmountLimits {
  return {
    minCents: limits.minCents > own.minCents ? limits.minCents : own.minCents,
    maxCents: limits.maxCents < own.maxCents ? limits.maxCents : own.maxCents,
  }
}

/**
 * Checks if the receipt's failure forbids a retry through a provider. Payment from a wallet remains possible.
 */
export function isBarred({ status, failure }: Pick<Receipt, 'status' | 'failure'>): boolean {
  if (status !== 'failed' || !failure?.failureCode) return false
  return failures[failure.failureCode as FailureCode]?.retry === 'no'
}

/**
 * Returns the card and bank methods of a receipt, or `undefined` if not available.
 *
 * @param moment.isConfirming - Uncredited payments exist. No method is offered then: a reorg could remove
 * them after a provider was paid.
 */
function offerOnramp(
  receipt: Receipt,
  provider: OnrampProvider | undefined,
  own: OnrampLimits,
  { now, isConfirming }: { readonly now: UnixMs; readonly isConfirming: boolean },
): { readonly methods: readonly PaymentMethod[] } | undefined {
  if (!provider || isBarred(receipt) || standingOf(receipt, now) !== 'open') return undefined
  const { minCents, maxCents } = narrowLimits(provider, own)
  const total = customerTotalCents(receipt)
  if (total < minCents || total > maxCents) return undefined
  return { methods: isConfirming ? [] : provider.methods }
}

import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { isMadeReceiptId, parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
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
import { askedUnits, worthInCents } from '../ledger/judge-payment.ts'
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

/** Where a receipt is asked for. */
export type Asked = {
  /** The merchant's wallet as it was sent; only ids that Sluice made itself are found without it. */
  readonly recipient: string | undefined
  /** The request's `Host`: a receipt is shown at the addresses of its own brand. */
  readonly host: string | undefined
}

/**
 * The receipt a payment URL names.
 *
 * @throws {Refusal} `not_found`, also where the receipt is another recipient's, or of another brand than the
 * address it is asked at.
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
    throw new Refusal('not_found', 'Receipt not found')
  return receipt
}

/** What a checkout is looked up with. */
export type FindCheckoutNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Chain
  readonly policy: FinalityPolicy
  readonly offer: { readonly rates: RateBook } & OnrampLimits
  /** Who pays the gas of signed payments. */
  readonly relayer: Submitter | undefined
  readonly onramp: Providers
  readonly onrampLimits: OnrampLimits
  /** What the service's own addresses begin with. */
  readonly baseUrl: string
}

/** How many payments to be claimed a buyer is told of. */
const maxUnmatched = 5

/** What a buyer may know of a receipt: nothing of billing, e-mail or metadata. */
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
  // With the failure of its session an attempt is closed.
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

/** A merchant's script, and whose it is. */
type OnSuccess = { readonly script: string; readonly merchant: Wallet }

/**
 * The merchant's script that runs once a receipt is paid; `undefined` before that, and where there is none.
 *
 * @throws {Refusal} `not_found`
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

/** What of the operator's settings bounds card and bank payments. */
export type OnrampLimits = AmountLimits

/** The limits of provider and operator together. */
export function narrowLimits({ limits }: OnrampProvider, own: OnrampLimits): AmountLimits {
  return {
    minCents: limits.minCents > own.minCents ? limits.minCents : own.minCents,
    maxCents: limits.maxCents < own.maxCents ? limits.maxCents : own.maxCents,
  }
}

/**
 * Whether a receipt's failure forbids another payment through a provider: one that must not be tried again, of which the
 * blocked transaction is the strictest (contract: Events). A payment from a wallet stays possible.
 */
export function isBarred({ status, failure }: Pick<Receipt, 'status' | 'failure'>): boolean {
  if (status !== 'failed' || !failure?.failureCode) return false
  return failures[failure.failureCode as FailureCode]?.retry === 'no'
}

/**
 * How a buyer may pay a receipt by card or bank; `undefined` where that is not offered.
 *
 * @param moment.isConfirming - Money is seen and not credited: until it is, no method is offered, since a reorg could take
 * the money back after a provider has been paid.
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

import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { formatUnits, writeCents } from '@sluice/protocol/money.ts'
import { isMadeReceiptId, parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { afterPayment } from '../../receipts/after-payment.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { findReceipt } from '../../receipts/store.ts'
import { findBrand, isShownAt } from '../../site/find-brand.ts'
import { findCurrentSplit, findSplitVersion } from '../../split/find-split.ts'
import { isOpen } from '../attempts/attempt.ts'
import { listAttempts } from '../attempts/store.ts'
import { viewAttempt } from '../attempts/view-attempt.ts'
import { type FinalityPolicy, type FinalityTags, finalityOf, requiredFinality } from '../cursors/finality.ts'
import { findPolicy } from '../cursors/find-policy.ts'
import { findTags } from '../cursors/store.ts'
import { missingUnits } from '../ledger/judge-payment.ts'
import { findNewestPayment, sumLivePayments } from '../ledger/sum-store.ts'

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

/** What a buyer may know of a receipt: nothing of billing, e-mail or metadata. */
export async function findCheckout(
  needs: { db: Database; clock: Clock; chain: Chain; policy: FinalityPolicy },
  id: string,
  asked: Asked,
): Promise<CheckoutView> {
  const { db, chain } = needs
  const receipt = await getPayableReceipt(needs, id, asked)
  const { merchant, splitVersion } = receipt
  const [attempts, live, newest, tags, policy, brand, split] = await Promise.all([
    listAttempts(db, merchant, receipt.id),
    sumLivePayments(db, merchant, receipt.id),
    findNewestPayment(db, merchant, receipt.id),
    findTags(db, chain.id),
    findPolicy(db, needs.policy, merchant),
    findBrand(db, receipt.brandKey),
    splitVersion === undefined
      ? findCurrentSplit(db, merchant)
      : findSplitVersion(db, merchant, splitVersion),
  ])
  const total = customerTotalCents(receipt)
  const now = chain.time.now()
  const isPaid = isSettled(receipt.status)
  const attempt = isPaid
    ? undefined
    : attempts.findLast((each) => isOpen(each, now) && each.totalCents === total)
  return {
    ...viewReceipt(receipt),
    chain: { id: chain.id, name: chain.name, explorerUrl: chain.explorerUrl ?? null },
    tokens: inOrderOfOffer(chain.tokens, brand.defaultPaymentToken).map(
      ({ symbol, name, decimals, address }) => ({ symbol, name, decimals, address }),
    ),
    canPay: split?.deployedAt !== undefined && split.chain === chain.id,
    attempt: attempt ? viewAttempt(attempt, missingUnits(total, live, attempt)) : null,
    payment: {
      ...viewPayment(receipt, tags, policy),
      transactionHash: newest?.txHash ?? receipt.transactionHash ?? null,
      payer: newest?.payer ?? receipt.buyerWallet ?? null,
    },
    returnUrl: isPaid ? (afterPayment(receipt).url ?? null) : null,
    hasOnSuccess: afterPayment(receipt).script !== undefined,
    transactionHash: receipt.transactionHash ?? null,
  }
}

/** The brand's own choice comes first: a page that is opened offers the first one. */
function inOrderOfOffer(tokens: readonly Token[], first: TokenSymbol): Token[] {
  return [...tokens].sort((a, b) => Number(b.symbol === first) - Number(a.symbol === first))
}

function viewReceipt(receipt: Receipt) {
  const { failure, pricing } = receipt
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
    failure: failure
      ? {
          failureReason: failure.failureReason,
          failureAction: failure.failureAction,
          providerRequestId: failure.providerRequestId,
        }
      : null,
  }
}

function viewPayment(receipt: Receipt, tags: FinalityTags, policy: FinalityPolicy) {
  const { payment } = receipt
  const block = payment?.blockNumber
  const required = requiredFinality(policy, customerTotalCents(receipt))
  // How many blocks lie between the head and the blocks that are as sure as asked: about that many to wait.
  const depth = required === 'seen' ? 0n : tags.latest - (required === 'safe' ? tags.safe : tags.final)
  const above = block === undefined ? 0n : tags.latest - block + 1n
  return {
    state: payment?.state ?? 'none',
    token: payment?.token ?? null,
    decimals: payment?.decimals ?? 0,
    due: (payment?.due ?? 0n).toString(),
    received: (payment?.received ?? 0n).toString(),
    missing: (payment?.missing ?? 0n).toString(),
    excess: (payment?.excess ?? 0n).toString(),
    confirmations: above > 0n ? Number(above) : 0,
    requiredConfirmations: Number(depth) + 1,
    finality: block === undefined || payment?.finality === 'none' ? 'none' : finalityOf(tags, block),
  }
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

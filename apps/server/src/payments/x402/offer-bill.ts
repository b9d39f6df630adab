import type { X402Requirements } from '@sluice/protocol/x402/messages.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { type OpenAttemptNeeds, openAttempt } from '../checkout/open-attempt.ts'
import type { Submitter } from '../relaying/relayer.ts'
import { requirementsOf } from './facilitator.ts'

/** What offering a receipt to programs leans on. */
export type OfferBillNeeds = OpenAttemptNeeds & {
  /** Who submits what payers sign. */
  readonly relayer: Submitter | undefined
}

/**
 * Every way to pay an open receipt by a signature. Each token has an attempt of its own, which is opened where none
 * stands, as by a page that is shown: no status changes. Empty where no signature is taken.
 *
 * @throws {Refusal} as `openAttempt`.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function offerBill(needs: OfferBillNeeds, receipt: Receipt): Promise<X402Requirements[]> {
  const { relayer, chain } = needs
  const accepts: X402Requirements[] = []
  if (!relayer || customerTotalCents(receipt) < relayer.terms.minCents) return accepts
  if ((await relayer.readState()).fault) return accepts
  for (const token of chain.tokens) {
    const domain = await relayer.tokens.find(token)
    if (!domain) continue
    const attempt = await openAttempt(needs, receipt, { token: token.symbol }, 'page')
    if (attempt.remaining !== '0') accepts.push(requirementsOf(attempt, domain))
  }
  return accepts
}

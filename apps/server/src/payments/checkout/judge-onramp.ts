import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { AmountLimits, OnrampProvider, PaymentMethod } from '../../onramp/provider.ts'
import { customerTotalCents, type Receipt, standingOf } from '../../receipts/receipt.ts'

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
export function offerOnramp(
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

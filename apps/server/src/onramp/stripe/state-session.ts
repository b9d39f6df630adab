import { type Cents, divideHalfAway } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { SessionChange, SessionChangeKind, SessionFault, SessionReport } from '../provider.ts'
import { metadataFields, type StripeNetwork } from './order-form.ts'
import type { StripeSession } from './session-object.ts'

/** How a statement came. */
export type Statement = {
  /** The event's time; `undefined` where Stripe was asked, which says when a session began and not when it changed. */
  readonly eventAt: UnixMs | undefined
  readonly askedAt: UnixMs
  /** The request that an event came of. */
  readonly requestId: string | null
}

/**
 * What a session of Stripe's says, in our kinds; `undefined` where nothing may be concluded from it: a status that is
 * not documented, or money that is not what was ordered, so that the chain alone decides.
 */
export function stateSession(
  session: StripeSession,
  network: StripeNetwork,
  statement: Statement,
): SessionReport | undefined {
  const kind = kindOf(session)
  if (!kind) return undefined
  const isTaken = kind === 'ach_pending' || kind === 'accepted' || kind === 'settled'
  if (isTaken && !isAsOrdered(session, network)) return undefined
  const isFailure = kind === 'failed' || kind === 'returned'
  const { eventAt, askedAt } = statement
  // Asked, Stripe says the same failure each time: a time that stays makes it no news, and never later than its event.
  const at = eventAt ?? (isFailure ? ((session.created * 1_000) as UnixMs) : askedAt)
  const change: SessionChange = {
    kind,
    at,
    fault: isFailure ? faultOf(session, statement.requestId) : undefined,
    sourceCents: isTaken ? sourceOf(session) : undefined,
    transactionHash: kind === 'settled' ? hashOf(session) : undefined,
  }
  return { sessionId: session.id, reference: session.metadata?.[metadataFields.reference], change }
}

/**
 * The documented statuses (docs.stripe.com/crypto/onramp/embedded): a buyer whose payment failed stays in
 * `requires_payment`; `rejected` is for checks of person, sanctions and fraud; `fulfillment_processing` is after the
 * payment. A bank account's payment is not settled before `fulfillment_complete`, and came back where it is rejected.
 */
function kindOf({
  status,
  payment_method,
  transaction_details,
}: StripeSession): SessionChangeKind | undefined {
  const isBank = payment_method === 'us_bank_account'
  if (status === 'initialized') return 'opened'
  if (status === 'requires_payment') return lastError(transaction_details.last_error) ? 'failed' : 'opened'
  if (status === 'rejected') return isBank ? 'returned' : 'failed'
  if (status === 'fulfillment_processing') return isBank ? 'ach_pending' : 'accepted'
  return status === 'fulfillment_complete' ? 'settled' : undefined
}

/**
 * Whether it delivers what was ordered, where it was ordered. "Users can update the amount in the onramp UI", says
 * Stripe, so a paid session alone is no paid receipt. In test mode Stripe puts amounts of its own in place of ours.
 */
function isAsOrdered(
  { metadata, livemode, transaction_details: details }: StripeSession,
  network: StripeNetwork,
) {
  if (details.destination_currency !== 'usdc' || details.destination_network !== network.name) return false
  const ordered = metadata?.[metadataFields.address]?.toLowerCase()
  if (details.wallet_address && details.wallet_address.toLowerCase() !== ordered) return false
  if (!livemode) return true
  const [wanted, given] = [readFine(metadata?.[metadataFields.amount]), readFine(details.destination_amount)]
  return wanted !== undefined && given !== undefined && given >= wanted
}

function faultOf({ transaction_details }: StripeSession, eventRequest: string | null): SessionFault {
  const error = lastError(transaction_details.last_error)
  return { errorCode: error?.code ?? null, requestId: error?.requestId ?? eventRequest }
}

/** The last error, a code by itself or in an object; of a decline, the reason the bank gave. */
function lastError(value: unknown): { code: string; requestId: string | undefined } | undefined {
  if (typeof value === 'string' && value !== '') return { code: value, requestId: undefined }
  if (typeof value !== 'object' || value === null) return undefined
  const { code, decline_code, request_id } = value as Readonly<Record<string, unknown>>
  const reason = [decline_code, code].find((each) => typeof each === 'string' && each !== '')
  if (typeof reason !== 'string') return undefined
  return { code: reason, requestId: typeof request_id === 'string' ? request_id : undefined }
}

/** What the buyer is charged: `source_amount` is without fees. Unknown where a part is not stated, or is not in USD. */
function sourceOf({ transaction_details: details }: StripeSession): Cents | undefined {
  const { source_amount, source_currency, fees } = details
  if (source_currency !== 'usd' || !fees) return undefined
  const parts = [
    readFine(source_amount),
    readFine(fees.network_fee_amount ?? fees.network_fee_monetary),
    readFine(fees.transaction_fee_amount ?? fees.transaction_fee_monetary),
  ]
  let sum = 0n
  for (const part of parts) {
    if (part === undefined) return undefined
    sum += part
  }
  return divideHalfAway(sum, 10n ** BigInt(fineDecimals - 2)) as Cents
}

const fineDecimals = 18

/** A decimal text in units of 10^-18. */
function readFine(text: string | null | undefined): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(text ?? '') ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(fineDecimals, '0'))
}

/** `transaction_id` is a hash, the address of a page about it, or a name of Stripe's own. */
function hashOf({ transaction_details }: StripeSession): string | undefined {
  return /0x[0-9a-f]{64}$/i.exec(transaction_details.transaction_id ?? '')?.[0]
}

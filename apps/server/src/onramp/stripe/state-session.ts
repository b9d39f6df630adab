import { type Cents, divideHalfAway } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { SessionChange, SessionChangeKind, SessionError, SessionReport } from '../provider.ts'
import { metadataFields, type StripeNetwork } from './order-form.ts'
import type { StripeSession } from './session-object.ts'

export type Statement = {
  /**
   * Time of the event. `undefined` for a queried session, for which Stripe returns only the creation time,
   * not the time of the change.
   */
  readonly eventAt: UnixMs | undefined
  readonly askedAt: UnixMs
  readonly requestId: string | null
}

/**
 * Returns the state of a Stripe session. Returns `undefined` if the status is undocumented or the delivery
 * does not match the order; only on-chain money then counts.
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
  // A queried failure has no event time. With the creation time, repeated reports are equal and never later
  // than the event.
  const at = eventAt ?? (isFailure ? ((session.created * 1_000) as UnixMs) : askedAt)
  const change: SessionChange = {
    kind,
    at,
    error: isFailure ? errorOf(session, statement.requestId) : undefined,
    sourceCents: isTaken ? sourceOf(session) : undefined,
    transactionHash: kind === 'settled' ? hashOf(session) : undefined,
  }
  return { sessionId: session.id, reference: session.metadata?.[metadataFields.reference], change }
}

/**
 * Maps documented statuses (docs.stripe.com/crypto/onramp/embedded). A failed payment remains in
 * `requires_payment`. `rejected` covers identity, sanctions and fraud checks. `fulfillment_processing` means
 * that the buyer has paid. A bank payment settles with `fulfillment_complete`, and `rejected` means that it
 * was returned.
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
 * Returns whether the delivery matches the order. Stripe lets users change the amount in the onramp UI, so a
 * paid session does not prove that the receipt is paid. In test mode Stripe substitutes its own amounts.
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

function errorOf({ transaction_details }: StripeSession, eventRequest: string | null): SessionError {
  const error = lastError(transaction_details.last_error)
  return { errorCode: error?.code ?? null, requestId: error?.requestId ?? eventRequest }
}

/** Returns the last error. For a decline, prefers the bank's reason code. */
function lastError(value: unknown): { code: string; requestId: string | undefined } | undefined {
  if (typeof value === 'string' && value !== '') return { code: value, requestId: undefined }
  if (typeof value !== 'object' || value === null) return undefined
  const { code, decline_code, request_id } = value as Readonly<Record<string, unknown>>
  const reason = [decline_code, code].find((each) => typeof each === 'string' && each !== '')
  if (typeof reason !== 'string') return undefined
  return { code: reason, requestId: typeof request_id === 'string' ? request_id : undefined }
}

/**
 * Returns the amount charged, including fees, which `source_amount` excludes. Returns `undefined` if any
 * component is missing or not in USD.
 */
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

/** Parses a decimal string into units of 10^-18. */
function readFine(text: string | null | undefined): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(text ?? '') ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(fineDecimals, '0'))
}

/** Extracts the hash. `transaction_id` is a hash, an explorer URL or a Stripe id. */
function hashOf({ transaction_details }: StripeSession): string | undefined {
  return /0x[0-9a-f]{64}$/i.exec(transaction_details.transaction_id ?? '')?.[0]
}

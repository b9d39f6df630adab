import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Outage } from '../kernel/outage.ts'

/**
 * A company that takes a card or a bank account and delivers USDC.
 *
 * The service opens one session per payment attempt and has the provider deliver to that attempt's own deposit address,
 * so that the watcher finds the money on chain like any other. What the provider says only moves the status sooner.
 *
 * To add a provider: a folder in `onramp/` that makes one of these, a line in `onramp/registry.ts`, its settings in
 * `platform/settings/onramp-settings.ts`, and a test that runs `test/api/onramp/provider-conformance.ts` against it.
 *
 * Nothing here touches the database, a receipt or a status: providers translate. Every call ends when `signal` is
 * aborted, and throws {@link ProviderUnavailable} where the provider is slow, down, overloaded or refuses our own key;
 * what it refuses about the payment itself is an answer. Anything else that is thrown is a defect.
 */
export interface OnrampProvider {
  /** Lower-case letters: it stands in URLs (`/api/onramp/events/{provider}`) and in rows, for ever. */
  readonly name: string
  readonly methods: readonly PaymentMethod[]
  /** What it takes in one payment; the operator's own limits may be narrower. */
  readonly limits: AmountLimits
  /** What its own codes mean where the failure catalogue's `providerCodes` do not say it. Never a guess. */
  readonly failureCodes: Readonly<Record<string, FailureCode>>

  /**
   * Opens the session of an order. The same `reference` with the same order gives the same session, also at the same
   * moment and after this process was killed: nothing is opened twice.
   */
  openSession(order: SessionOrder, call: ProviderCall): Promise<OpenOutcome>

  /**
   * Verifies the signature over the bytes as they came, then reads the event. Nothing of an unsigned body is believed.
   *
   * An event is one of what {@link SessionChange} lists; whatever the provider sends beyond is `unknown` and kept.
   */
  readEvent(request: SignedRequest): Promise<EventReading>

  /** What the provider itself says of a session now; `undefined` where it knows none. For events that never came. */
  findSession(sessionId: string, call: ProviderCall): Promise<SessionReport | undefined>

  /** A page of the sessions opened at or after a time, in any order, at most 100. For the reconciliation. */
  listSessions(
    query: { readonly openedSince: UnixMs; readonly cursor: string | undefined },
    call: ProviderCall,
  ): Promise<SessionPage>
}

/** How a buyer pays a provider. */
export type PaymentMethod = 'card' | 'ach'

/** The smallest and the largest amount, both included. */
export type AmountLimits = { readonly minCents: Cents; readonly maxCents: Cents }

/** Bounds a call: aborted when its time is over, or when the service stops. */
export type ProviderCall = { readonly signal: AbortSignal }

/** What a session is opened for. The same `reference` always comes with the same values. */
export type SessionOrder = {
  /**
   * The service's own name for the session, 26 signs: idempotency key of the call, and to be kept with the session
   * (metadata) so that events and lists bring it back.
   */
  readonly reference: string
  /** What is to be delivered, to the last unit; fees are added on the buyer's side. */
  readonly amount: { readonly asset: 'USDC'; readonly units: TokenUnits; readonly decimals: number }
  /** What the buyer owes in US cents, for display: the amount was made from it. */
  readonly dueCents: Cents
  readonly chainId: number
  /** The token's contract there. */
  readonly tokenAddress: Wallet
  readonly depositAddress: Wallet
  /** Where the buyer goes after the hosted page. */
  readonly redirectUrl: string
  readonly email: string | undefined
  readonly billing: SessionBilling | undefined
  /** The buyer's IP address as far as it is known. */
  readonly clientAddress: string | undefined
}

/** What the provider's form is filled in with; the merchant sent it with the receipt. */
export type SessionBilling = {
  readonly firstName?: string
  readonly lastName?: string
  readonly phone?: string
  readonly email?: string
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly state?: string
  readonly zip?: string
  readonly country?: string
}

/** What opening came to. */
export type OpenOutcome =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly hostedUrl: string }
  /** It does not take this payment, and says why in a structured code. */
  | { readonly kind: 'refused'; readonly fault: SessionFault }

/** Why a provider failed a payment: its own structured code, and its support reference. Never taken from prose. */
export type SessionFault = { readonly errorCode: string | null; readonly requestId: string | null }

/**
 * What happened to a session.
 *
 * - `opened`: nothing yet; the buyer has not paid.
 * - `failed`: the payment was declined or refused, or the session ended without one. A buyer may still pay in it.
 * - `ach_pending`: a bank payment was accepted and is not settled.
 * - `returned`: a bank payment that had been accepted came back.
 * - `accepted`: a payment was taken that is not going to come back; the delivery is on its way.
 * - `settled`: the USDC was sent.
 */
export type SessionChangeKind = 'opened' | 'failed' | 'ach_pending' | 'returned' | 'accepted' | 'settled'

/** A change of a session, by an event or as the provider states it when asked. */
export type SessionChange = {
  readonly kind: SessionChangeKind
  /** When it happened by the provider's clock; the time of asking where it does not say. */
  readonly at: UnixMs
  /** With `failed` and `returned`. */
  readonly fault: SessionFault | undefined
  /** What the buyer was charged in US cents, fees included. Asked about a session, the provider says it with any kind. */
  readonly sourceCents: Cents | undefined
  /** With `settled`: the delivery, as the provider names it. A hint; the chain decides. */
  readonly transactionHash: string | undefined
}

/** A session as the provider states it. */
export type SessionReport = {
  readonly sessionId: string
  /** {@link SessionOrder.reference}; `undefined` for sessions that this service did not open. */
  readonly reference: string | undefined
  readonly change: SessionChange
}

/** Some sessions, and where the next page begins; no cursor with the last one. */
export type SessionPage = {
  readonly sessions: readonly SessionReport[]
  readonly nextCursor: string | undefined
}

/** A request as it came, before anything of it is trusted. */
export type SignedRequest = {
  readonly body: Uint8Array
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The service's clock, and how far the signature's time may be from it. */
  readonly now: UnixMs
  readonly toleranceMs: number
}

/** What a request came to. */
export type EventReading =
  | { readonly kind: 'event'; readonly event: ProviderEvent }
  /** Not signed by the provider, too old or too new, or not in its format. */
  | { readonly kind: 'refused'; readonly because: 'signature' | 'time' | 'format' }

/** An event that the provider signed. */
export type ProviderEvent = {
  /** The provider's id of it, at most 128 signs: the same event sent again has the same. */
  readonly id: string
  /** The provider's own name of the kind, at most 128 signs, such as `crypto.onramp_session.updated`. */
  readonly type: string
  readonly at: UnixMs
  /** `undefined` where the kind is unknown here: it is kept, and changes nothing. */
  readonly report: SessionReport | undefined
}

/** A card provider does not answer, or not in time, or is not set up as it wants. Nothing is known of the payment. */
export class ProviderUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('provider', message, options)
  }
}

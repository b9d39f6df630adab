import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Outage } from '../kernel/outage.ts'

/**
 * Provider that charges a card or a bank account and delivers USDC.
 *
 * The service opens one session per payment attempt. The provider delivers to that attempt's deposit address,
 * and the watcher detects the money on the chain. Provider events only change the status sooner.
 *
 * To add a provider: implement this interface in a folder of `onramp/`. Add it to `onramp/registry.ts` and
 * its settings to `platform/settings/onramp-settings.ts`. Test it with
 * `test/api/onramp/provider-conformance.ts`.
 *
 * A provider never accesses the database, a receipt or a status. Every call ends when `signal` is aborted. A
 * call throws {@link ProviderUnavailable} if the provider is slow, down, overloaded or rejects our key. A
 * rejected payment is a result, not an error. Any other exception is a bug.
 */
export interface OnrampProvider {
  /**
   * Lower-case letters. Must never change: URLs (`/api/onramp/events/{provider}`) and stored rows contain it.
   */
  readonly name: string
  readonly methods: readonly PaymentMethod[]
  /** Limits per payment. The operator's limits may be stricter. */
  readonly limits: AmountLimits
  /**
   * Meanings of the provider's codes that the failure catalog's `providerCodes` do not cover. Contains
   * documented codes only.
   */
  readonly failureCodes: Readonly<Record<string, FailureCode>>

  /**
   * Opens the session of an order. Idempotent by `reference`, even for concurrent calls and after a crash.
   */
  openSession(order: SessionOrder, call: ProviderCall): Promise<OpenOutcome>

  /**
   * Verifies the signature over the raw bytes, then parses the event. Reports events other than
   * {@link SessionChange} as unknown; such events are still stored.
   */
  readEvent(request: SignedRequest): Promise<EventReading>

  /**
   * Returns the current state of a session, or `undefined` if the provider does not know it. Called when
   * events are missing.
   */
  findSession(sessionId: string, call: ProviderCall): Promise<SessionReport | undefined>

  /**
   * Returns a page of at most 100 sessions opened at or after a time, in any order. Called for
   * reconciliation.
   */
  listSessions(
    query: { readonly openedSince: UnixMs; readonly cursor: string | undefined },
    call: ProviderCall,
  ): Promise<SessionPage>
}

export type PaymentMethod = 'card' | 'ach'

export type AmountLimits = { readonly minCents: Cents; readonly maxCents: Cents }

/** Aborted when the call times out or the service stops. */
export type ProviderCall = { readonly signal: AbortSignal }

/** Input of a session. The same `reference` always has the same values. */
export type SessionOrder = {
  /**
   * Session reference, 26 characters: the idempotency key. Providers must store the reference in the
   * session's metadata, so that events and lists return it.
   */
  readonly reference: string
  /** Exact amount to deliver. Fees are charged to the buyer in addition. */
  readonly amount: { readonly asset: 'USDC'; readonly units: TokenUnits; readonly decimals: number }
  /** Amount due in US cents, for display. `amount` was derived from this value. */
  readonly dueCents: Cents
  readonly chainId: number
  readonly tokenAddress: Wallet
  readonly depositAddress: Wallet
  readonly redirectUrl: string
  readonly email: string | undefined
  readonly billing: SessionBilling | undefined
  readonly clientAddress: string | undefined
}

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

export type OpenOutcome =
  | { readonly kind: 'opened'; readonly sessionId: string; readonly hostedUrl: string }
  /** The provider rejects this payment with a structured code. */
  | { readonly kind: 'refused'; readonly error: SessionError }

/**
 * Reason for a failed payment: the provider's structured code and its support reference. Never parsed from
 * message text.
 */
export type SessionError = { readonly errorCode: string | null; readonly requestId: string | null }

/**
 * Kind of a session change.
 *
 * - `opened`: the buyer has not paid.
 * - `failed`: the payment was declined, or the session ended without payment. The buyer may still pay in the
 * session.
 * - `ach_pending`: a bank payment was accepted but is not settled yet.
 * - `returned`: an accepted bank payment was returned.
 * - `accepted`: the payment is irreversible, and the delivery is in progress.
 * - `settled`: the USDC was sent.
 */
export type SessionChangeKind = 'opened' | 'failed' | 'ach_pending' | 'returned' | 'accepted' | 'settled'

export type SessionChange = {
  readonly kind: SessionChangeKind
  /**
   * Time according to the provider's clock, or the time of the request if the provider does not state one.
   */
  readonly at: UnixMs
  readonly error: SessionError | undefined
  /** Amount charged in US cents, including fees. */
  readonly sourceCents: Cents | undefined
  /** Delivery transaction of a `settled` change. A hint only: the chain decides. */
  readonly transactionHash: string | undefined
}

export type SessionReport = {
  readonly sessionId: string
  /** {@link SessionOrder.reference}, or `undefined` if another system opened the session. */
  readonly reference: string | undefined
  readonly change: SessionChange
}

export type SessionPage = {
  readonly sessions: readonly SessionReport[]
  readonly nextCursor: string | undefined
}

export type SignedRequest = {
  readonly body: Uint8Array
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The service's current time, and the maximum difference between it and the signed time. */
  readonly now: UnixMs
  readonly toleranceMs: number
}

export type EventReading =
  | { readonly kind: 'event'; readonly event: ProviderEvent }
  /** The request is unsigned, outside the time tolerance, or malformed. */
  | { readonly kind: 'refused'; readonly because: 'signature' | 'time' | 'format' }

export type ProviderEvent = {
  /** Unique id, at most 128 characters. A repeated delivery has the same id. */
  readonly id: string
  /** Provider's event type, at most 128 characters, such as `crypto.onramp_session.updated`. */
  readonly type: string
  readonly at: UnixMs
  /** `undefined` for an unknown event type: the event is stored and has no effect. */
  readonly report: SessionReport | undefined
}

/** Thrown if a provider does not respond in time or is misconfigured. The state of the payment is unknown. */
export class ProviderUnavailable extends Outage {
  /** @param message - Shown to API clients. */
  constructor(message: string, options?: ErrorOptions) {
    super('provider', message, options)
  }
}

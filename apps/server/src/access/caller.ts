import type { Role, Scope } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Access } from './access.ts'

/** A program that sent a subscription's key. */
export type SubscriptionCaller = {
  readonly kind: 'subscription'
  readonly merchant: Wallet
  readonly subscriptionId: string
  readonly scopes: readonly Scope[]
  /** The key that was sent: receipts made with it are signed with it. */
  readonly keyId: string
  readonly sealedKey: string
}

/** A person who is logged in. */
export type SessionCaller = {
  readonly kind: 'session'
  readonly sessionId: string
  readonly wallet: Wallet
  /** Absent for an operator, who acts for no merchant. */
  readonly merchant: Wallet | undefined
  readonly role: Role
  readonly loggedInAt: UnixMs
}

/** Who sent a request, as far as its credentials prove it. */
export type KnownCaller = SubscriptionCaller | SessionCaller

/** Who sent a request to a route that knows only from the body what it asks of its caller. */
export type DeferredCaller = {
  readonly kind: 'deferred'
  /**
   * Applies a rule now, as the guard would have done before the body was read.
   *
   * @throws {Refusal} as the guard does.
   */
  judge(access: Access): Promise<Caller>
  /** Who it is if the credentials are good, whatever they allow; `undefined` otherwise, without a refusal. */
  recognise(): Promise<KnownCaller | undefined>
}

export type Caller = { readonly kind: 'nobody' } | KnownCaller | DeferredCaller

/**
 * The merchant a caller acts for, by key or by session.
 *
 * @throws {Refusal} `wallet_required` for an operator's session, which has none.
 */
export function merchantOf(caller: Caller): Wallet {
  const { merchant } = knownOf(caller)
  if (merchant === undefined) throw walletRequired()
  return merchant
}

/** The session of a caller whose route takes sessions only. */
export function sessionOf(caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw new Error('the guard lets only sessions through to this route')
  return caller
}

/** How the audit log names a caller: his wallet, or `subscription:<id>`. */
export function actorOf(caller: Caller): string {
  const known = knownOf(caller)
  return known.kind === 'session' ? known.wallet : `subscription:${known.subscriptionId}`
}

/** The refusal of a session that acts for no merchant on a merchant's route. */
export function walletRequired(): Refusal {
  return new Refusal('wallet_required', 'This session has no merchant: log in with merchantWallet')
}

/** Who sent a request whose route lets known callers through alone. */
export function knownOf(caller: Caller): KnownCaller {
  if (caller.kind === 'subscription' || caller.kind === 'session') return caller
  throw new Error('the guard lets only known callers through to this route')
}

import type { Role, Scope } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Access } from './access.ts'

export type SubscriptionCaller = {
  readonly kind: 'subscription'
  readonly merchant: Wallet
  readonly subscriptionId: string
  readonly scopes: readonly Scope[]
  /** Key that the client sent. It signs the webhooks of receipts created with it. */
  readonly keyId: string
  readonly encryptedKey: string
}

/** A person with a login. `loggedInAt` decides whether a sensitive write needs a fresh login. */
export type SessionCaller = {
  readonly kind: 'session'
  readonly sessionId: string
  readonly wallet: Wallet
  /** `undefined` for an operator. */
  readonly merchant: Wallet | undefined
  readonly role: Role
  readonly loggedInAt: UnixMs
}

/** A caller that a key or a session identifies. */
export type KnownCaller = SubscriptionCaller | SessionCaller

export type DeferredCaller = {
  readonly kind: 'deferred'
  /**
   * Applies an access rule.
   *
   * @throws {ApiError} as the guard does.
   */
  evaluate(access: Access): Promise<Caller>
  /** Returns the caller if the credentials are valid, regardless of scopes. Otherwise returns `undefined`. */
  recognise(): Promise<KnownCaller | undefined>
}

/** The result of the guard. `deferred`: the route applies the access rule after it has read the body. */
export type Caller = { readonly kind: 'nobody' } | KnownCaller | DeferredCaller

/**
 * Returns the merchant that a caller's key or session belongs to.
 *
 * @throws {ApiError} `wallet_required` for an operator's session.
 */
export function merchantOf(caller: Caller): Wallet {
  const { merchant } = knownOf(caller)
  if (merchant === undefined) throw walletRequired()
  return merchant
}

/** Returns the session of a caller. Any other caller is a defect: the guard admits only sessions here. */
export function sessionOf(caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw new Error('the guard admits only sessions to this route')
  return caller
}

/** Returns the name of a caller for the audit log: a wallet, or `subscription:<id>`. */
export function actorOf(caller: Caller): string {
  const known = knownOf(caller)
  return known.kind === 'session' ? known.wallet : `subscription:${known.subscriptionId}`
}

export function walletRequired(): ApiError {
  return new ApiError('wallet_required', 'This session has no merchant: log in with merchantWallet')
}

/** Returns an identified caller. Any other caller is a defect: the guard does not admit it here. */
export function knownOf(caller: Caller): KnownCaller {
  if (caller.kind === 'subscription' || caller.kind === 'session') return caller
  throw new Error('the guard admits only authenticated callers to this route')
}

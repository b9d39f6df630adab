import type { Wallet } from '@sluice/protocol/wallet.ts'

/** What a subscription may do (contract: Authentication, scopes). */
export const scopes = [
  'inventory:read',
  'inventory:write',
  'orders:create',
  'receipts:read',
  'receipts:write',
  'shop:read',
  'split:read',
] as const

/** One right of a subscription. */
export type Scope = (typeof scopes)[number]

/** Who sent a request, as far as its credentials prove it. */
export type Caller =
  | { readonly kind: 'nobody' }
  | {
      readonly kind: 'subscription'
      readonly merchant: Wallet
      readonly subscriptionId: string
      readonly scopes: readonly Scope[]
      /** The key that was sent: receipts made with it are signed with it. */
      readonly keyId: string
      readonly sealedKey: string
    }

/** What a route asks of its caller; a route that does not say stops the start. */
export type Access =
  /** Open to everybody. */
  | { readonly kind: 'public' }
  /** A subscription key with this scope. */
  | { readonly kind: 'key'; readonly scope: Scope }
  /** Open to everybody; who sends a key has to send a good one with this scope. */
  | { readonly kind: 'key-or-public'; readonly scope: Scope }
  /** Any valid key, whatever its scopes. */
  | { readonly kind: 'any-key' }

/** The subscription of a caller whose route asked for a key. */
export function subscriptionOf(caller: Caller): Extract<Caller, { kind: 'subscription' }> {
  if (caller.kind !== 'subscription')
    throw new Error('the guard lets only subscriptions through to this route')
  return caller
}

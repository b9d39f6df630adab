import type { Role, Scope } from '@sluice/protocol/api/access.ts'

/** What a route asks of its caller; a route that does not say stops the start. */
export type Access =
  /** Open to everybody; credentials are not looked at. */
  | { readonly kind: 'public' }
  /** A subscription key with this scope, and nothing else. */
  | { readonly kind: 'key'; readonly scope: Scope }
  /**
   * A developer's route: a key with the scope or, without a key, a session whose role has it.
   * `roles` names those roles instead where more, or fewer, than those with the scope are meant.
   */
  | { readonly kind: 'key-or-session'; readonly scope: Scope; readonly roles?: readonly Role[] }
  /**
   * A developer's route that also answers everybody, in public's own measure: without credentials the
   * caller is nobody. A key that is sent must be good and have the scope.
   */
  | { readonly kind: 'key-or-public'; readonly scope: Scope }
  /** Any valid key or session, whatever it allows. */
  | { readonly kind: 'known' }
  /** As `known`, and open to everybody: without a valid credential the caller is nobody. */
  | { readonly kind: 'known-or-public' }
  /** A session in one of the roles; `isFresh`: logged in less than five minutes ago. */
  | { readonly kind: 'session'; readonly roles: readonly Role[]; readonly isFresh?: boolean }
  /** What is asked depends on the body: the handler says so by `caller.judge`. */
  | { readonly kind: 'judged-later' }

import {
  type MemberRole,
  memberRoles,
  type Role,
  type Scope,
  scopeRoles,
  scopes,
} from '@sluice/protocol/api/access.ts'

/** Access rule of a route. The service does not start if a route has none. */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'key'; readonly scope: Scope }
  /**
   * A subscription key with the scope or, without a key, a session whose role has the scope. `roles`
   * overrides the roles that have the scope.
   */
  | { readonly kind: 'key-or-session'; readonly scope: Scope; readonly roles?: readonly Role[] }
  /**
   * Like `key-or-session`, but also open without credentials, under the public rate limit. If a key is sent,
   * it must be valid and have the scope.
   */
  | { readonly kind: 'key-or-public'; readonly scope: Scope }
  | { readonly kind: 'known' }
  /** Like `known`, but also open without a valid credential. */
  | { readonly kind: 'known-or-public' }
  /** A session in one of the roles. `isFresh` requires a login less than five minutes old. */
  | { readonly kind: 'session'; readonly roles: readonly Role[]; readonly isFresh?: boolean }
  /** Depends on the body: the handler calls `caller.evaluate`. */
  | { readonly kind: 'judged-later' }

/**
 * Scopes that each role's sessions have on the routes for subscription keys. Routes for cashiers name the
 * role, because a cashier has no scope.
 */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  admin: scopes,
  developer: readingAs('developer'),
  cashier: [],
  viewer: readingAs('viewer'),
  operator: [],
}

export function rolesWith(scope: Scope): MemberRole[] {
  return memberRoles.filter((role) => scopesOfRole[role].includes(scope))
}

function readingAs(role: 'developer' | 'viewer'): Scope[] {
  return scopes.filter((scope) => (scopeRoles[scope] as readonly string[]).includes(role))
}

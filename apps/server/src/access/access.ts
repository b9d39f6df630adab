import {
  type MemberRole,
  memberRoles,
  type Role,
  type Scope,
  scopeRoles,
  scopes,
} from '@sluice/protocol/api/access.ts'

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

/**
 * What a session of a role may do on the routes that developers call with a key (contract: Authentication;
 * decisions: Access, Roles). A cashier has no scope at all: the few routes for cashiers name the role.
 */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  admin: scopes,
  developer: readingAs('developer'),
  cashier: [],
  viewer: readingAs('viewer'),
  operator: [],
}

/** The members whose role has a scope: what a route names that wants some more roles besides. */
export function rolesWith(scope: Scope): MemberRole[] {
  return memberRoles.filter((role) => scopesOfRole[role].includes(scope))
}

function readingAs(role: 'developer' | 'viewer'): Scope[] {
  return scopes.filter((scope) => (scopeRoles[scope] as readonly string[]).includes(role))
}

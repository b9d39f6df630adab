import {
  type MemberRole,
  memberRoles,
  type Role,
  type Scope,
  scopeRoles,
  scopes,
} from '@sluice/protocol/api/access.ts'

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

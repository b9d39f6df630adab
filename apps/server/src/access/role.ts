import { type MemberRole, type Role, type Scope, scopes } from '@sluice/protocol/api/access.ts'

const reading: readonly Scope[] = ['inventory:read', 'receipts:read', 'shop:read', 'split:read']

/**
 * What a session of a role may do on the routes that developers call with a key (contract: Authentication;
 * decisions: Access, Roles). A cashier has no scope at all: the few routes for cashiers name the role.
 */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  admin: scopes,
  developer: reading,
  cashier: [],
  viewer: reading,
  operator: [],
}

/** The members whose role has a scope: what a route names that wants some more roles besides. */
export function rolesWith(scope: Scope): MemberRole[] {
  const members: readonly MemberRole[] = ['owner', 'admin', 'developer', 'cashier', 'viewer']
  return members.filter((role) => scopesOfRole[role].includes(scope))
}

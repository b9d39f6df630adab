import { scopes as allScopes, type Scope } from '@sluice/protocol/api/access.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { findMember, lockMembers } from '../../merchants/member-store.ts'
import type { Database } from '../../platform/database/database.ts'
import { scopesOfRole } from '../access.ts'
import type { SessionCaller } from '../caller.ts'

/**
 * Returns the scopes that the caller may grant to a key, at most those of its role.
 *
 * Locks the members until the transaction ends, so that a removed member cannot create a key concurrently.
 *
 * @param wanted - All scopes of the role if `undefined`.
 * @throws {ApiError} `forbidden`.
 */
export async function validateScopes(
  tx: Database,
  caller: SessionCaller,
  wanted: readonly Scope[] | undefined,
): Promise<readonly Scope[]> {
  const { merchant, wallet } = caller
  if (merchant !== undefined) await lockMembers(tx, merchant)
  const member = merchant && (await findMember(tx, merchant, wallet))
  if (!member) throw new ApiError('forbidden', 'This wallet is not a member of the merchant')
  const mayGive = scopesOfRole[member.role]
  if (!wanted) return mayGive
  const excess = allScopes.filter((scope) => wanted.includes(scope) && !mayGive.includes(scope))
  if (excess.length === 0) return wanted
  throw new ApiError(
    'forbidden',
    `The role ${member.role} cannot create a key with ${excess.join(', ')}; ask an owner (/app/developers)`,
  )
}

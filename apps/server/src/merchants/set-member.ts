import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { withdrawInvitationsOf } from './invitation-store.ts'
import { deleteMember, listMembers, lockMembers, type Member, upsertMember } from './member-store.ts'

/**
 * Adds a member or changes its role. Withdraws the open invitations of a former owner.
 *
 * @throws {ApiError} `invalid_input` if the merchant would have no owner.
 */
export async function setMember(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  input: { wallet: Wallet; role: MemberRole },
): Promise<{ member: Member; before: Member | undefined }> {
  return needs.db.transaction(async (tx) => {
    await lockMembers(tx, merchant)
    const members = await listMembers(tx, merchant)
    const before = members.find(({ wallet }) => wallet === input.wallet)
    if (input.role !== 'owner') refuseLastOwner(members, input.wallet, 'role')
    const now = needs.clock.now()
    const member = { ...input, createdAt: before?.createdAt ?? now }
    await upsertMember(tx, merchant, member)
    if (before?.role === 'owner' && input.role !== 'owner')
      await withdrawInvitationsOf(tx, merchant, input.wallet, now)
    return { member, before }
  })
}

/**
 * Removes a member, ends the member's sessions and withdraws the member's invitations.
 *
 * @throws {ApiError} `not_found` if the wallet is not a member; `invalid_input` for the last owner.
 */
export async function removeMember(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  wallet: Wallet,
): Promise<Member> {
  return needs.db.transaction(async (tx) => {
    await lockMembers(tx, merchant)
    const members = await listMembers(tx, merchant)
    const member = members.find((each) => each.wallet === wallet)
    if (!member) throw new ApiError('not_found', 'Member not found')
    refuseLastOwner(members, wallet, 'wallet')
    await deleteMember(tx, merchant, wallet)
    await withdrawInvitationsOf(tx, merchant, wallet, needs.clock.now())
    return member
  })
}

function refuseLastOwner(members: readonly Member[], wallet: Wallet, path: string): void {
  const owners = members.filter(({ role }) => role === 'owner')
  if (owners.length === 1 && owners[0]?.wallet === wallet)
    throw invalidInput({ path, message: 'is the last owner; make another member an owner first' })
}

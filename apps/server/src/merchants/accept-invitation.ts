import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { InvitationState } from '@sluice/protocol/api/invitations.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { generateId } from '../kernel/generate-id.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import {
  findInvitation,
  findInvitationByHash,
  hashInvitationToken,
  type Invitation,
  insertInvitation,
  listOpenInvitations,
  makeInvitationToken,
  openLimit,
  stateOfInvitation,
  useInvitation,
} from './invitation-store.ts'
import { findMember, lockMembers, upsertMember } from './member-store.ts'

type Accepted = { readonly merchant: Wallet; readonly role: MemberRole; readonly invitationId: string }

/**
 * Makes a wallet a member by an invitation token, which can be used once. Of two concurrent requests, only
 * one succeeds. An existing member keeps its role, and the invitation stays open. The caller must have
 * authenticated the wallet.
 *
 * @throws {ApiError} `forbidden` with the `reason`.
 */
export async function acceptInvitation(
  needs: { tx: Database; clock: Clock },
  wallet: Wallet,
  token: string,
): Promise<Accepted> {
  const { tx, clock } = needs
  const found = await findInvitationByHash(tx, hashInvitationToken(token))
  if (!found) throw refused('invitation_unknown', 'Invitation not found')
  const { merchant, id } = found
  await lockMembers(tx, merchant)
  const invitation = await findInvitation(tx, merchant, id)
  if (!invitation) throw refused('invitation_unknown', 'Invitation not found')
  const state = stateOfInvitation(invitation, clock.now())
  if (state !== 'open') throw refused(`invitation_${state}`, sayings[state])
  if (await findMember(tx, merchant, wallet))
    throw new ApiError('forbidden', 'This wallet is already a member of the merchant', {
      reason: 'already_member',
    })
  const at = clock.now()
  await upsertMember(tx, merchant, { wallet, role: invitation.role, createdAt: at })
  await useInvitation(tx, merchant, id, { wallet, at })
  return { merchant, role: invitation.role, invitationId: id }
}

const sayings: Readonly<Record<Exclude<InvitationState, 'open'>, string>> = {
  used: 'The invitation has already been used',
  withdrawn: 'The invitation was withdrawn',
  expired: 'The invitation has expired',
}

function refused(reason: string, message: string): ApiError {
  return new ApiError('forbidden', `${message}; ask an owner for a new one`, { reason })
}

const dayMs = 24 * 60 * 60_000

/**
 * Creates an invitation. Its token is returned only here.
 *
 * @throws {ApiError} `invalid_input` if too many are open; `forbidden` if the caller is no longer an owner.
 */
export async function createInvitation(
  needs: { db: Database; clock: Clock; random: Random },
  merchant: Wallet,
  input: { role: MemberRole; madeBy: Wallet; days: number },
): Promise<{ invitation: Invitation; token: string }> {
  const { db, random } = needs
  const token = makeInvitationToken(random)
  const createdAt = needs.clock.now()
  const invitation: Invitation = {
    id: generateId(createdAt, random),
    role: input.role,
    madeBy: input.madeBy,
    createdAt,
    expiresAt: (createdAt + input.days * dayMs) as UnixMs,
    usedBy: undefined,
    usedAt: undefined,
    withdrawnAt: undefined,
  }
  await db.transaction(async (tx) => {
    await lockMembers(tx, merchant)
    // The role may have changed since authentication. An invitation from a former owner would bypass the
    // withdrawal of that owner's invitations.
    const maker = await findMember(tx, merchant, input.madeBy)
    if (maker?.role !== 'owner') throw new ApiError('forbidden', 'Only an owner can invite members')
    const open = await listOpenInvitations(tx, merchant, createdAt)
    if (open.length >= openLimit)
      throw invalidInput({
        path: 'role',
        message: `${openLimit} invitations are already open; withdraw one first`,
      })
    await insertInvitation(tx, merchant, invitation, hashInvitationToken(token))
  })
  return { invitation, token }
}

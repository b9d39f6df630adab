import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { InvitationState } from '@sluice/protocol/api/invitations.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { generateId } from '../kernel/generate-id.ts'
import type { Random } from '../kernel/random.ts'
import { invalidInput, Refusal } from '../kernel/refusal.ts'
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

/** What became of an invitation. */
type Accepted = { readonly merchant: Wallet; readonly role: MemberRole; readonly invitationId: string }

/**
 * Makes a wallet that has proven itself a member by the token of an invitation, which is used up by that. Of two who
 * come with it at once one becomes a member. A wallet that is one already keeps its role, and the invitation stays open.
 *
 * @throws {Refusal} `forbidden` with the `reason`.
 */
export async function acceptInvitation(
  needs: { tx: Database; clock: Clock },
  wallet: Wallet,
  token: string,
): Promise<Accepted> {
  const { tx, clock } = needs
  const found = await findInvitationByHash(tx, hashInvitationToken(token))
  if (!found) throw refused('invitation_unknown', 'There is no such invitation')
  const { merchant, id } = found
  await lockMembers(tx, merchant)
  const invitation = await findInvitation(tx, merchant, id)
  if (!invitation) throw refused('invitation_unknown', 'There is no such invitation')
  const state = stateOfInvitation(invitation, clock.now())
  if (state !== 'open') throw refused(`invitation_${state}`, sayings[state])
  if (await findMember(tx, merchant, wallet))
    throw new Refusal('forbidden', 'This wallet is already a member of the merchant', {
      reason: 'already_member',
    })
  const at = clock.now()
  await upsertMember(tx, merchant, { wallet, role: invitation.role, createdAt: at })
  await useInvitation(tx, merchant, id, { wallet, at })
  return { merchant, role: invitation.role, invitationId: id }
}

const sayings: Readonly<Record<Exclude<InvitationState, 'open'>, string>> = {
  used: 'The invitation was used already',
  withdrawn: 'The invitation was withdrawn',
  expired: 'The invitation has expired',
}

function refused(reason: string, message: string): Refusal {
  return new Refusal('forbidden', `${message}; ask an owner for a new one`, { reason })
}

const dayMs = 24 * 60 * 60_000

/**
 * Makes an invitation, and the token that is shown here and never again.
 *
 * @throws {Refusal} `invalid_input` where too many are open; `forbidden` where whoever makes it is no owner any more.
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
    // Whoever is no owner since the session was judged would leave a way in that nobody takes back.
    const maker = await findMember(tx, merchant, input.madeBy)
    if (maker?.role !== 'owner') throw new Refusal('forbidden', 'Only an owner may invite')
    const open = await listOpenInvitations(tx, merchant, createdAt)
    if (open.length >= openLimit)
      throw invalidInput({
        path: 'role',
        message: `${openLimit} invitations are open already; withdraw one first`,
      })
    await insertInvitation(tx, merchant, invitation, hashInvitationToken(token))
  })
  return { invitation, token }
}

import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { generateId } from '../kernel/generate-id.ts'
import type { Random } from '../kernel/random.ts'
import { invalidInput, Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database/database.ts'
import { hashInvitationToken, type Invitation, makeInvitationToken, openLimit } from './invitation.ts'
import { insertInvitation, listOpenInvitations } from './invitation-store.ts'
import { findMember, lockMembers } from './member-store.ts'

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

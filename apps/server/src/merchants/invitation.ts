import { createHash } from 'node:crypto'
import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { InvitationState } from '@sluice/protocol/api/invitations.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Random } from '../kernel/random.ts'

/** What makes one wallet a member, whichever comes with its token first. */
export type Invitation = {
  readonly id: string
  readonly role: MemberRole
  readonly madeBy: Wallet
  readonly createdAt: UnixMs
  readonly expiresAt: UnixMs
  readonly usedBy: Wallet | undefined
  readonly usedAt: UnixMs | undefined
  readonly withdrawnAt: UnixMs | undefined
}

/** How many of a merchant may be open at once: each is a way in. */
export const openLimit = 20

/** How many of a merchant are remembered in all: the older ones that are no longer open go first. */
export const keptLimit = 100

/** A new token: `inv_` and 256 random bits. It is shown once; only its hash is stored. */
export function makeInvitationToken(random: Random): string {
  return `inv_${Buffer.from(random.bytes(32)).toString('base64url')}`
}

/** What a token is looked up by. */
export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** What may still be done with an invitation. */
export function stateOfInvitation(invitation: Invitation, now: UnixMs): InvitationState {
  if (invitation.usedAt !== undefined) return 'used'
  if (invitation.withdrawnAt !== undefined) return 'withdrawn'
  return now >= invitation.expiresAt ? 'expired' : 'open'
}

import type { operations } from '../../api/schema.d.ts'

/** Somebody who may act for the merchant. */
export type Member =
  operations['getMembers']['responses'][200]['content']['application/json']['members'][number]

/** What a member may be. */
export type MemberRole = Member['role']

/** Every role, the widest first. */
export const memberRoles = [
  'owner',
  'admin',
  'developer',
  'cashier',
  'viewer',
] as const satisfies readonly MemberRole[]

/** What a change of members makes old. */
export const memberChanges = [['members'], ['subscriptions'], ['audit']] as const

/** An invitation that nobody has used yet. */
export type Invitation =
  operations['getMembersInvitations']['responses'][200]['content']['application/json']['invitations'][number]

/** A new one, with its link. */
export type MadeInvitation =
  operations['postMembersInvitations']['responses'][201]['content']['application/json']

/** What a change of invitations makes old. */
export const invitationChanges = [['invitations'], ['audit']] as const

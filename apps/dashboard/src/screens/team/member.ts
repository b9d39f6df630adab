import type { operations } from '../../api/schema.d.ts'

export type Member =
  operations['getMembers']['responses'][200]['content']['application/json']['members'][number]

export type MemberRole = Member['role']

/** All roles, ordered from the most rights to the fewest. */
export const memberRoles = [
  'owner',
  'admin',
  'developer',
  'cashier',
  'viewer',
] as const satisfies readonly MemberRole[]

/** Query keys that a member change invalidates. */
export const memberChanges = [['members'], ['subscriptions'], ['audit']] as const

export type Invitation =
  operations['getMembersInvitations']['responses'][200]['content']['application/json']['invitations'][number]

export type MadeInvitation =
  operations['postMembersInvitations']['responses'][201]['content']['application/json']

/** Query keys that an invitation change invalidates. */
export const invitationChanges = [['invitations'], ['audit']] as const

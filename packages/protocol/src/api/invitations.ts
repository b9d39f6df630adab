import { Type } from 'typebox'
import { memberRoles } from './access.ts'

const ok = Type.Literal(true)
const memberRole = Type.Enum([...memberRoles])
const unixMs = () => Type.Integer({ description: 'Unix milliseconds.' })

/** What may still be done with an invitation. */
export const invitationStates = ['open', 'used', 'expired', 'withdrawn'] as const

/** One of {@link invitationStates}. */
export type InvitationState = (typeof invitationStates)[number]

/** A link by which somebody becomes a member, as far as it can be shown. */
export const invitationView = Type.Object({
  id: Type.String(),
  role: memberRole,
  madeBy: Type.String({ description: 'The member who created it.' }),
  createdAt: unixMs(),
  expiresAt: unixMs(),
})

/** The answer of GET /api/members/invitations, newest first. */
export const invitationList = Type.Object({ invitations: Type.Array(invitationView) })

/** The body of POST /api/members/invitations. */
export const createInvitationRequest = Type.Object({
  role: memberRole,
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 30, default: 7, description: 'Days until it expires.' }),
  ),
})

/** The answer of POST /api/members/invitations. */
export const createInvitationAnswer = Type.Object({
  ok,
  invitation: invitationView,
  url: Type.String({
    description: 'The link to send to the person. It is shown once, and its token stands behind the `#`.',
  }),
})

/** The token of an invitation: what stands behind the `#` of its link. */
export const invitationToken = Type.String({ minLength: 1, maxLength: 64 })

/** The body of POST /api/auth/invitation. */
export const readInvitationRequest = Type.Object({ invitation: invitationToken })

/** The answer of POST /api/auth/invitation. */
export const readInvitationAnswer = Type.Object({
  ok,
  merchantWallet: Type.String(),
  shopName: Type.Union([Type.String(), Type.Null()], { description: 'Null if the shop has no name.' }),
  role: memberRole,
  invitedBy: Type.String({ description: 'The wallet of the owner who created it.' }),
  expiresAt: unixMs(),
  state: Type.Enum([...invitationStates]),
})

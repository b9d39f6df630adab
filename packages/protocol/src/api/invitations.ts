import { Type } from 'typebox'
import { memberRoles } from './access.ts'

const ok = Type.Literal(true)
const memberRole = Type.Enum([...memberRoles])
const unixMs = () => Type.Integer({ description: 'Unix milliseconds.' })

export const invitationStates = ['open', 'used', 'expired', 'withdrawn'] as const

export type InvitationState = (typeof invitationStates)[number]

export const invitationView = Type.Object({
  id: Type.String(),
  role: memberRole,
  madeBy: Type.String({ description: 'The member who created it.' }),
  createdAt: unixMs(),
  expiresAt: unixMs(),
})

export const invitationList = Type.Object({ invitations: Type.Array(invitationView) })

export const createInvitationRequest = Type.Object({
  role: memberRole,
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 30, default: 7, description: 'Days until it expires.' }),
  ),
})

export const createInvitationResponse = Type.Object({
  ok,
  invitation: invitationView,
  url: Type.String({
    description: 'The link to send to the new member. It is returned only once. The token follows the `#`.',
  }),
})

export const invitationToken = Type.String({ minLength: 1, maxLength: 64 })

export const readInvitationRequest = Type.Object({ invitation: invitationToken })

export const readInvitationResponse = Type.Object({
  ok,
  merchantWallet: Type.String(),
  shopName: Type.Union([Type.String(), Type.Null()], { description: 'Null if the shop has no name.' }),
  role: memberRole,
  invitedBy: Type.String({ description: 'The wallet of the owner who created it.' }),
  expiresAt: unixMs(),
  state: Type.Enum([...invitationStates]),
})

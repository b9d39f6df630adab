import { okResponse } from '@sluice/protocol/api/access.ts'
import {
  createInvitationRequest,
  createInvitationResponse,
  invitationList,
  readInvitationRequest,
  readInvitationResponse,
} from '@sluice/protocol/api/invitations.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { createInvitation } from '../merchants/accept-invitation.ts'
import {
  findInvitation,
  findInvitationByHash,
  hashInvitationToken,
  type Invitation,
  listOpenInvitations,
  stateOfInvitation,
  withdrawInvitation,
} from '../merchants/invitation-store.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import { appendAudit } from './audit/append-audit.ts'
import { merchantOf, sessionOf } from './caller.ts'
import { type Route, route } from './route.ts'

export type InvitationNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly site: { readonly baseUrl: string }
  findShopName(merchant: Wallet): Promise<string | undefined>
}

const owners = { kind: 'session', roles: ['owner'] } as const
const owning = { ...owners, isFresh: true } as const
const usualDays = 7

export function invitationRoutes(needs: InvitationNeeds): Route[] {
  return [
    listInvitationsRoute(needs),
    createInvitationRoute(needs),
    withdrawInvitationRoute(needs),
    readInvitationRoute(needs),
  ]
}

function listInvitationsRoute({ db, clock }: InvitationNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/members/invitations',
    access: owners,
    description: 'List open invitations.',
    responses: { 200: invitationList },
    async handle({ caller }) {
      const open = await listOpenInvitations(db, merchantOf(caller), clock.now())
      return { status: 200, body: { invitations: open.map(viewInvitation) } }
    },
  })
}

function createInvitationRoute(needs: InvitationNeeds): Route {
  const { db, site } = needs
  return route({
    method: 'POST',
    path: '/api/members/invitations',
    access: owning,
    limit: 'configWrites',
    idempotency: { isSecretResponse: true },
    description:
      'Create an invitation link. The first wallet that signs in with the link becomes a member. The link is returned only once. At most 20 invitations can be open.',
    body: createInvitationRequest,
    responses: { 201: createInvitationResponse },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      const { wallet } = sessionOf(caller)
      const { role, expiresInDays: days = usualDays } = body
      const { invitation, token } = await db.transaction(async (tx) => {
        const created = await createInvitation({ ...needs, db: tx }, merchant, { role, madeBy: wallet, days })
        const { id, createdAt: at, expiresAt } = created.invitation
        const details = { role, expiresAt }
        const act = { merchant, at, actor: wallet, action: 'invitation.created', subject: id, details }
        await appendAudit({ ...needs, tx }, { ...act, correlationId })
        return created
      })
      // Browsers never send the part after `#`, so no server log, proxy or Referer header contains the token.
      const url = `${site.baseUrl}/app/invite#${token}`
      return { status: 201, body: { ok: true, invitation: viewInvitation(invitation), url } }
    },
  })
}

function withdrawInvitationRoute(needs: InvitationNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'DELETE',
    path: '/api/members/invitations/{id}',
    access: owning,
    limit: 'configWrites',
    description: 'Withdraw an invitation.',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    responses: { 200: okResponse },
    document: { apiErrors: ['not_found'] },
    async handle({ caller, params: { id }, correlationId }) {
      const merchant = merchantOf(caller)
      const at = clock.now()
      await db.transaction(async (tx) => {
        if (!(await withdrawInvitation(tx, merchant, id, at)))
          throw new ApiError('not_found', 'No open invitation has this id')
        const act = { merchant, at, actor: sessionOf(caller).wallet, subject: id, correlationId }
        await appendAudit({ ...needs, tx }, { ...act, action: 'invitation.withdrawn' })
      })
      return { status: 200, body: { ok: true } }
    },
  })
}

function readInvitationRoute({ db, clock, findShopName }: InvitationNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/auth/invitation',
    access: { kind: 'public' },
    limit: { name: 'logins', counts: 'failures' },
    description:
      'Retrieve an invitation by its token. Requires no authentication. To accept the invitation, send its token to `POST /api/auth/login`.',
    body: readInvitationRequest,
    responses: { 200: readInvitationResponse },
    document: { apiErrors: ['not_found'] },
    async handle({ body }) {
      const found = await findInvitationByHash(db, hashInvitationToken(body.invitation))
      const invitation = found && (await findInvitation(db, found.merchant, found.id))
      if (!invitation) throw new ApiError('not_found', 'Invitation not found')
      const { role, madeBy, expiresAt } = invitation
      const shopName = (await findShopName(found.merchant)) ?? null
      const state = stateOfInvitation(invitation, clock.now())
      const merchantWallet = found.merchant
      const content = { merchantWallet, shopName, role, invitedBy: madeBy, expiresAt, state }
      return { status: 200, body: { ok: true, ...content } }
    },
  })
}

function viewInvitation({ id, role, madeBy, createdAt, expiresAt }: Invitation) {
  return { id, role, madeBy, createdAt, expiresAt }
}

import type { Role } from '@sluice/protocol/api/access.ts'
import { ownMerchantList, sessionResponse, switchMerchantRequest } from '@sluice/protocol/api/auth.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { listMemberships } from '../../merchants/member-store.ts'
import type { Database } from '../../platform/database/database.ts'
import { type SessionCaller, sessionOf } from '../caller.ts'
import { type Route, route } from '../route.ts'
import { type Gate, sessionCookie } from './gate.ts'
import { endOf } from './session.ts'
import { type SwitchNeeds, switchMerchant } from './switch-merchant.ts'
import { everybody, viewSession } from './view-session.ts'

export type OwnMerchantNeeds = SwitchNeeds & { readonly findShopNames: FindShopNames }

const anySession = { kind: 'session', roles: everybody } as const

export function ownMerchantRoutes(needs: OwnMerchantNeeds): Route[] {
  return [listRoute(needs), switchRoute(needs)]
}

function listRoute(needs: OwnMerchantNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/auth/merchants',
    access: anySession,
    description:
      'List your merchants. Returns the merchants that your wallet is a member of, with your role in each.',
    responses: { 200: ownMerchantList },
    async handle({ caller }) {
      const session = sessionOf(caller)
      const merchants = await listOwnMerchants(needs, session)
      return {
        status: 200,
        body: {
          merchants: merchants.map(({ merchant, shopName, role }) => ({
            merchantWallet: merchant ?? null,
            shopName: shopName ?? null,
            role,
            isCurrent: merchant === session.merchant,
          })),
        },
      }
    },
  })
}

function switchRoute(needs: OwnMerchantNeeds): Route {
  const { gate, clock } = needs
  return route({
    method: 'POST',
    path: '/api/auth/merchant',
    access: anySession,
    idempotency: { isSecretResponse: true },
    description:
      'Switch to another merchant. Replaces the session with one for the other merchant, without another signature. Sets the session cookie and returns a new CSRF token. The new session expires at the same time as the old one.',
    body: switchMerchantRequest,
    responses: { 200: sessionResponse },
    async handle({ body, caller, headers, clientAddress, correlationId }) {
      const wanted = body.merchantWallet === null ? undefined : parseWallet(body.merchantWallet)
      const origin = { address: clientAddress, userAgent: headers['user-agent'], correlationId }
      const switched = await switchMerchant(needs, sessionOf(caller), wanted, origin)
      const { session, standing, token } = switched
      const life = { until: endOf(session), now: clock.now() }
      return {
        status: 200,
        headers: { 'set-cookie': sessionCookie(gate, token, life) },
        body: viewSession(needs, session.id, { ...session, role: standing.role }),
      }
    },
  })
}

export type FindShopNames = (merchants: readonly Wallet[]) => Promise<ReadonlyMap<Wallet, string>>

export type OwnMerchant = {
  readonly merchant: Wallet | undefined
  readonly shopName: string | undefined
  readonly role: Role
}

/**
 * Lists the merchants of the caller's wallet, at most 200.
 *
 * The wallet's own merchant comes first, then the others by date of membership. For an operator, the platform
 * comes last.
 */
export async function listOwnMerchants(
  needs: { db: Database; gate: Gate; findShopNames: FindShopNames },
  { wallet }: SessionCaller,
): Promise<OwnMerchant[]> {
  const memberships = await listMemberships(needs.db, wallet)
  const names = await needs.findShopNames(memberships.map(({ merchant }) => merchant))
  const merchants = memberships.map(({ merchant, role }) => ({
    merchant,
    role,
    shopName: names.get(merchant),
  }))
  if (!needs.gate.operators.has(wallet)) return merchants
  return [...merchants, { merchant: undefined, role: 'operator', shopName: undefined }]
}

import { ownMerchantList, sessionAnswer, switchMerchantRequest } from '@sluice/protocol/api/auth.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { sessionOf } from '../caller.ts'
import { type Route, route } from '../route.ts'
import { sessionCookie } from './gate.ts'
import { type FindShopNames, listOwnMerchants } from './list-own-merchants.ts'
import { endOf } from './session.ts'
import { type SwitchNeeds, switchMerchant } from './switch-merchant.ts'
import { everybody, viewSession } from './view-session.ts'

/** What the endpoints lean on. */
export type OwnMerchantNeeds = SwitchNeeds & { readonly findShopNames: FindShopNames }

const anySession = { kind: 'session', roles: everybody } as const

/** For which merchants a wallet may act, and changing the one that its session is for (decisions: Access, Login). */
export function ownMerchantRoutes(needs: OwnMerchantNeeds): Route[] {
  return [listRoute(needs), switchRoute(needs)]
}

function listRoute(needs: OwnMerchantNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/auth/merchants',
    access: anySession,
    description:
      'List the merchants you can act for. Returns those that your wallet is a member of, with your role there.',
    answers: { 200: ownMerchantList },
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
    idempotency: { hasSecretAnswer: true },
    description:
      'Switch to another merchant. Ends the session and opens one for the other merchant, without another signature: sets the session cookie, ' +
      'and returns a new CSRF token. It ends when the first one would have.',
    body: switchMerchantRequest,
    answers: { 200: sessionAnswer },
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

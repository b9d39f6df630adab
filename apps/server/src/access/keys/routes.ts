import {
  createSubscriptionRequest,
  createSubscriptionResponse,
  okResponse,
  rotateKeyResponse,
  subscriptionList,
} from '@sluice/protocol/api/access.ts'
import { Type } from 'typebox'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import { actorOf, merchantOf, sessionOf } from '../caller.ts'
import { type Route, route } from '../route.ts'
import { modeOfChain } from './api-key.ts'
import { endSubscription, rotateKey } from './change-subscription.ts'
import { createSubscription } from './create-subscription.ts'
import { listSubscriptions } from './subscription-store.ts'
import { validateScopes } from './validate-scopes.ts'

export type SubscriptionNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly chain: { readonly id: number }
}

const reading = { kind: 'session', roles: ['owner', 'developer'] } as const
const writing = { ...reading, isFresh: true } as const
const slot = Type.Union([Type.Literal('primary'), Type.Literal('secondary')])

export function subscriptionRoutes(needs: SubscriptionNeeds): Route[] {
  return [
    listSubscriptionsRoute(needs),
    createSubscriptionRoute(needs),
    rotateKeyRoute(needs),
    revokeSubscriptionRoute(needs),
  ]
}

function listSubscriptionsRoute({ db }: SubscriptionNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/subscriptions',
    access: reading,
    description: 'List subscriptions. Returns a hint for each key, not the key itself.',
    responses: { 200: subscriptionList },
    async handle({ caller }) {
      return { status: 200, body: { subscriptions: await listSubscriptions(db, merchantOf(caller)) } }
    },
  })
}

function createSubscriptionRoute(needs: SubscriptionNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'POST',
    path: '/api/subscriptions',
    access: writing,
    limit: 'configWrites',
    idempotency: { isSecretResponse: true },
    description: 'Create a subscription. Returns its two keys. The keys cannot be retrieved later.',
    body: createSubscriptionRequest,
    responses: { 201: createSubscriptionResponse },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      const mode = modeOfChain(needs.chain.id)
      const session = sessionOf(caller)
      const made = await db.transaction(async (tx) => {
        const scopes = await validateScopes(tx, session, body.scopes)
        const { id, ...keys } = await createSubscription({ ...needs, db: tx }, merchant, {
          name: body.name,
          scopes,
          mode,
          madeBy: session.wallet,
        })
        const [subscription] = await listSubscriptions(tx, merchant, id)
        assert(subscription, 'a new subscription exists')
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'subscription.created',
            subject: id,
            details: { name: body.name, scopes: subscription.scopes },
            correlationId,
          },
        )
        return { subscription, ...keys }
      })
      return { status: 201, body: { ok: true, ...made } }
    },
  })
}

function rotateKeyRoute(needs: SubscriptionNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'POST',
    path: '/api/subscriptions/{id}/keys/{slot}/rotate',
    access: writing,
    limit: 'configWrites',
    idempotency: { isSecretResponse: true },
    description:
      'Rotate a key. The old key stops working immediately. The new key is returned once and cannot be retrieved later.',
    params: Type.Object({ id: Type.String({ maxLength: 64 }), slot }),
    responses: { 200: rotateKeyResponse },
    async handle({ caller, params, correlationId }) {
      const merchant = merchantOf(caller)
      const session = sessionOf(caller)
      const key = await db.transaction(async (tx) => {
        const made = await rotateKey(
          { ...needs, db: tx },
          merchant,
          { subscriptionId: params.id, slot: params.slot, madeBy: session.wallet },
          (scopes) => validateScopes(tx, session, scopes),
        )
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'key.rotated',
            subject: params.id,
            details: { slot: params.slot },
            correlationId,
          },
        )
        return made
      })
      return { status: 200, body: { ok: true, key } }
    },
  })
}

function revokeSubscriptionRoute(needs: SubscriptionNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'DELETE',
    path: '/api/subscriptions/{id}',
    access: writing,
    limit: 'configWrites',
    description: 'Revoke a subscription and both of its keys.',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    responses: { 200: okResponse },
    async handle({ caller, params, correlationId }) {
      const merchant = merchantOf(caller)
      await db.transaction(async (tx) => {
        if (!(await endSubscription({ db: tx, clock }, merchant, params.id))) return
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'subscription.revoked',
            subject: params.id,
            correlationId,
          },
        )
      })
      return { status: 200, body: { ok: true } }
    },
  })
}

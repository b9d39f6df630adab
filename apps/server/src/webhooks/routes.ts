import { eventPage, eventStreamQuery, eventsQuery } from '@sluice/protocol/api/events.ts'
import {
  deliveriesQuery,
  deliveryDetail,
  deliveryPage,
  receiverReport,
  redeliverResponse,
  testReceiverRequest,
} from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { knownOf, merchantOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import { invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Changes } from '../platform/cache/changes.ts'
import type { Database } from '../platform/database/database.ts'
import type { Log } from '../platform/log.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import type { Secrets } from '../platform/secrets.ts'
import { prepareTest, RunningTests, testReceiver } from './endpoint-tester/test-receiver.ts'
import { listEvents } from './feed/list-events.ts'
import { listDeliveryPage, viewDelivery } from './list-deliveries.ts'
import { redeliver } from './redeliver.ts'
import { showDelivery } from './show-delivery.ts'
import { EventStreams } from './stream/event-streams.ts'

export type WebhookNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly secrets: Secrets
  readonly changes: Changes
  readonly receivers: {
    readonly outbound: Outbound
    readonly isProduction: boolean
    brandKeyOf(merchant: Wallet): Promise<string>
  }
}

const reading = { kind: 'key-or-session', scope: 'receipts:read' } as const
const testing = {
  kind: 'key-or-session',
  scope: 'receipts:write',
  roles: ['owner', 'admin', 'developer'],
} as const
const working = { kind: 'session', roles: ['owner', 'admin', 'developer'] } as const

export function webhookRoutes(needs: WebhookNeeds): Route[] {
  return [
    streamRoute(needs),
    route({
      method: 'GET',
      path: '/api/events',
      access: reading,
      description: "List events. Returns the merchant's events in order, numbered and linked by hashes.",
      query: eventsQuery,
      responses: { 200: eventPage },
      async handle({ caller, query }) {
        return { status: 200, body: await listEvents(needs, merchantOf(caller), query) }
      },
    }),
    ...deliveryRoutes(needs),
    testRoute(needs),
  ]
}

function deliveryRoutes(needs: WebhookNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/webhooks/deliveries',
      access: reading,
      description: 'List webhook deliveries. Each delivery includes its attempts, newest first.',
      query: deliveriesQuery,
      responses: { 200: deliveryPage },
      async handle({ caller, query }) {
        return {
          status: 200,
          body: await listDeliveryPage(needs, merchantOf(caller), query),
        }
      },
    }),
    showDeliveryRoute(needs),
    route({
      method: 'POST',
      path: '/api/webhooks/deliveries/{id}/redeliver',
      access: working,
      description: 'Redeliver an event. Sends the event again with the same idempotency key.',
      params: Type.Object({ id: Type.String() }),
      responses: { 200: redeliverResponse },
      async handle({ caller, params }) {
        const delivery = await redeliver(needs, merchantOf(caller), params.id)
        return { status: 200, body: { ok: true, delivery: viewDelivery(delivery) } }
      },
    }),
  ]
}

function testRoute(needs: WebhookNeeds): Route {
  const tests = new RunningTests(needs)
  return route({
    method: 'POST',
    path: '/api/webhooks/test',
    // The receiver may be slow, so the test must not run inside the transaction of an Idempotency-Key.
    // `judged-later` routes never run in such a transaction.
    access: { kind: 'judged-later' },
    idempotency: { isSecretResponse: true },
    limit: 'configWrites',
    description:
      'Test a webhook endpoint. Sends deliveries that the endpoint must accept and deliveries that it must reject, and explains each failed check.',
    body: testReceiverRequest,
    responses: { 200: receiverReport },
    document: { isKeyed: true },
    async handle({ caller, body }) {
      const known = caller.kind === 'deferred' ? await caller.evaluate(testing) : caller
      const target = await prepareTest(needs, known, body.url)
      const test = () => testReceiver({ ...needs, ...needs.receivers }, target)
      return { status: 200, body: await tests.run(target, test) }
    },
  })
}

function streamRoute(needs: WebhookNeeds): Route {
  const streams = new EventStreams(needs)
  return route({
    method: 'GET',
    path: '/api/events/stream',
    access: reading,
    description:
      'Stream events. Returns the feed as server-sent events until the client disconnects. Each event has its number as `id`. Resumes after `Last-Event-ID`.',
    query: eventStreamQuery,
    responses: { 200: Type.String({ description: 'Server-sent events.' }) },
    document: { responseType: 'text/event-stream' },
    async handle({ caller, query, headers }) {
      const asked = query.lastEventId ?? headers['last-event-id']
      if (typeof asked === 'string' && !/^[0-9]{1,15}$/.test(asked))
        throw invalidInput({ path: 'lastEventId', message: 'must be the number of an event' })
      const position = typeof asked === 'string' ? BigInt(asked) : undefined
      const body = streams.open(knownOf(caller), merchantOf(caller), position)
      return {
        status: 200,
        stream: { body, isLive: true },
        headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      }
    },
  })
}

function showDeliveryRoute(needs: WebhookNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/webhooks/deliveries/{id}',
    access: working,
    description:
      'Retrieve a webhook delivery. Includes the body and the signed headers of the last attempt, and the request and response of each attempt.',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    responses: { 200: deliveryDetail },
    async handle({ caller, params }) {
      return { status: 200, body: await showDelivery(needs, merchantOf(caller), params.id) }
    },
  })
}

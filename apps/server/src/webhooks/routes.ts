import { eventPage, eventsQuery } from '@sluice/protocol/api/events.ts'
import { deliveriesQuery, deliveryPage } from '@sluice/protocol/api/webhooks.ts'
import { subscriptionOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Outbound } from '../platform/outbound.ts'
import type { Secrets } from '../platform/secrets.ts'
import { listDeliveryPage } from './delivery-page.ts'
import { listEvents } from './list-events.ts'

/** What the endpoints of the feed and the delivery log lean on. */
export type WebhookNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  /** How merchants' receivers are reached, and by which rules. */
  readonly receivers: {
    readonly outbound: Outbound
    readonly isProduction: boolean
    readonly brandKey: string
  }
}

/** The feed, the delivery log and the receiver's test (decisions: Webhooks and events). */
export function webhookRoutes(needs: WebhookNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/events',
      access: { kind: 'key', scope: 'receipts:read' },
      summary: "The merchant's notifications in order, numbered and chained by hashes",
      query: eventsQuery,
      answers: { 200: eventPage },
      async handle({ caller, query }) {
        return { status: 200, body: await listEvents(needs, subscriptionOf(caller).merchant, query) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/webhooks/deliveries',
      access: { kind: 'key', scope: 'receipts:read' },
      summary: "The merchant's webhook deliveries with their attempts, newest first",
      query: deliveriesQuery,
      answers: { 200: deliveryPage },
      async handle({ caller, query }) {
        return { status: 200, body: await listDeliveryPage(needs, subscriptionOf(caller).merchant, query) }
      },
    }),
  ]
}

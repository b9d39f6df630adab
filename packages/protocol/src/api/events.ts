import { type Static, Type } from 'typebox'
import { pageLimit, queryValue } from './documented.ts'
import { webhookBody } from './webhook-body.ts'

/** Minimum retention of an event in the feed: 30 days. */
export const eventLifeMs = 30 * 86_400_000

export const firstPreviousHash = '0'.repeat(64)

export const event = Type.Object({
  number: Type.Integer({
    minimum: 1,
    description: 'Sequence number in the feed, from 1, without gaps.',
  }),
  receiptId: Type.String(),
  idempotencyKey: Type.String({
    description: 'Idempotency key of the webhook. Use it to detect duplicates.',
  }),
  createdAt: Type.Integer({ description: 'Unix time in milliseconds' }),
  previousHash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The hash of the previous event.' }),
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 of the text of `previousHash` followed by `body`, in lower-case hex.',
  }),
  body: Type.String({
    contentMediaType: 'application/json',
    contentSchema: webhookBody,
    description: 'The exact body of the webhook, as JSON text.',
  }),
})

export type EventView = Static<typeof event>

export const eventPage = Type.Object({
  events: Type.Array(event),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Send this value as `after` to get the next page. Null at the end of the feed.',
  }),
  last: Type.Integer({ minimum: 0, description: 'The number of the newest event; 0 if there is none.' }),
})

export type EventPage = Static<typeof eventPage>

/** `cursor` is an alias of `after`. */
export const eventsQuery = Type.Object({
  after: queryValue(
    Type.Integer({ minimum: 0, default: 0, description: 'Returns only events with a higher number.' }),
    { pattern: '^[0-9]{1,15}$' },
  ),
  cursor: queryValue(Type.String({ description: 'Alias of `after`.' }), { pattern: '^[0-9]{1,15}$' }),
  limit: pageLimit,
})

export const eventStreamQuery = Type.Object({
  lastEventId: queryValue(
    Type.Integer({
      minimum: 0,
      description:
        'Returns only events with a higher number, like the header `Last-Event-ID`. Without either, returns only new events.',
    }),
    { pattern: '^[0-9]{1,15}$' },
  ),
})

export type EventsQuery = Static<typeof eventsQuery>

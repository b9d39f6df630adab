import { type Static, Type } from 'typebox'
import { pageLimit } from './documented.ts'
import { webhookKindNames } from './webhook-body.ts'

const text = Type.Union([Type.String(), Type.Null()])
const number = Type.Union([Type.Integer(), Type.Null()])

/** State of a delivery. Only `pending` deliveries are retried. */
export const deliveryStates = ['pending', 'delivered', 'superseded', 'exhausted'] as const

const deliveryState = Type.Enum([...deliveryStates])

export const deliveryAttempt = Type.Object({
  attempt: Type.Integer({ minimum: 1 }),
  deliveryId: Type.String({ description: 'The X-Service-Delivery header of this attempt.' }),
  startedAt: Type.Integer({ description: 'Unix time in milliseconds' }),
  durationMs: Type.Integer(),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The HTTP status of the endpoint; null if there was no response.',
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Reason for a missing response: refused-target, timeout, network or no-key.',
  }),
})

export const delivery = Type.Object({
  id: Type.String(),
  receiptId: Type.String(),
  url: Type.String(),
  event: Type.String(),
  idempotencyKey: Type.String(),
  sequence: Type.Integer(),
  state: deliveryState,
  supersededBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The newer event of the receipt that is sent instead.',
  }),
  createdAt: Type.Integer(),
  settledAt: number,
  nextAttemptAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Null once the delivery has ended.',
  }),
  attemptCount: Type.Integer(),
  attempts: Type.Array(deliveryAttempt),
})

export type DeliveryView = Static<typeof delivery>

export const deliveryDetail = Type.Object({
  delivery,
  request: Type.Union(
    [
      Type.Null(),
      Type.Object({
        method: Type.Literal('POST'),
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the last attempt, including the signatures.',
        }),
        body: Type.String({ description: 'The exact body, as JSON text.' }),
      }),
    ],
    { description: 'Request of the last attempt; null if there was no attempt or no signing key.' },
  ),
  exchanges: Type.Array(
    Type.Object({
      attempt: Type.Integer({ minimum: 1 }),
      requestHeaders: Type.Record(Type.String(), Type.String()),
      responseHeaders: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
      responseBody: Type.Union([Type.String(), Type.Null()], {
        description: 'At most the first 4 KiB, as untrusted text; null if there was no response.',
      }),
      isResponseCut: Type.Boolean(),
    }),
    { description: 'Request and response of each attempt.' },
  ),
})

export type DeliveryDetail = Static<typeof deliveryDetail>

export const deliveryPage = Type.Object({ deliveries: Type.Array(delivery), nextCursor: text })

export const deliveriesQuery = Type.Object({
  receiptId: Type.Optional(Type.String({ maxLength: 128 })),
  state: Type.Optional(deliveryState),
  event: Type.Optional(
    Type.Union(
      webhookKindNames.map((name) => Type.Literal(name)),
      { description: 'The only event type.' },
    ),
  ),
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
})

export type DeliveriesQuery = Static<typeof deliveriesQuery>

export const redeliverResponse = Type.Object({ ok: Type.Literal(true), delivery })

export const receiverChecks = [
  'valid_delivery',
  'duplicate',
  'out_of_order',
  'unknown_field',
  'bad_signature',
  'stale_time',
  'slow_answer',
] as const

export type ReceiverCheck = (typeof receiverChecks)[number]

export const receiverErrors = [
  'target_refused',
  'unreachable',
  'no_answer_in_time',
  'redirects',
  'valid_delivery_refused',
  'duplicate_refused',
  'out_of_order_refused',
  'unknown_field_refused',
  'bad_signature_accepted',
  'stale_time_accepted',
  'slow_answer',
] as const

export type ReceiverError = (typeof receiverErrors)[number]

const errorName = Type.Enum([...receiverErrors])

export const testReceiverRequest = Type.Object({ url: Type.String({ minLength: 1, maxLength: 2048 }) })

export const receiverReport = Type.Object({
  ok: Type.Boolean({ description: 'Whether every check passed.' }),
  url: Type.String(),
  receiptId: Type.String({
    description: 'The receipt id in the test deliveries. The receipt does not exist.',
  }),
  errors: Type.Array(errorName),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum([...receiverChecks]),
      result: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('skipped')]),
      error: Type.Union([errorName, Type.Null()]),
      expected: Type.String(),
      advice: text,
      status: number,
      durationMs: number,
    }),
  ),
})

export type ReceiverReport = Static<typeof receiverReport>

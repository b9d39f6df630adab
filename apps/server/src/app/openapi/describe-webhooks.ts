import { webhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { webhookEvent, webhookHeaders } from '@sluice/protocol/webhook.ts'
import type { Json, SchemaWriter } from './describe-schema.ts'
import { sampleNotice } from './sample-answers.ts'

const headers: readonly (readonly [name: string, description: string, schema: Json])[] = [
  [
    webhookHeaders.signature,
    'HMAC-SHA256 over the exact bytes of the body, under the API key the receipt was made with. Compare in constant time.',
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ],
  [webhookHeaders.event, 'The event, as in the body.', { type: 'string', const: webhookEvent }],
  [
    webhookHeaders.delivery,
    'This delivery cycle; another one on later retries.',
    { type: 'string', format: 'uuid' },
  ],
  [webhookHeaders.idempotencyKey, 'As in the body; stable across retries.', { type: 'string' }],
  [webhookHeaders.timestamp, 'Time of sending, Unix milliseconds.', { type: 'string', pattern: '^[0-9]+$' }],
]

/** What the service sends, beside what it answers: the `webhooks` of the API's document. */
export function describeWebhooks(writer: SchemaWriter): Json {
  return {
    [webhookEvent]: {
      post: {
        operationId: 'receiveReceiptStatusUpdated',
        summary: 'The status of a receipt changed',
        description:
          'Sent to the `webhook_url` of the receipt. Answer 2xx within 5 seconds; the same notification may come more than once and out of order. Partner brands send the same headers under their own prefix too.',
        tags: ['notifications'],
        security: [{}],
        parameters: headers.map(([name, description, schema]) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: writer.write(webhookBody), example: sampleNotice } },
        },
        responses: {
          '2XX': { description: 'Taken; the notification is not sent again' },
          '4XX': { description: 'Not taken; it is sent again, as after any other answer and after none' },
        },
      },
    },
  }
}

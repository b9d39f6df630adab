import { webhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { webhookEvent, webhookHeaders } from '@sluice/protocol/webhook.ts'
import type { Json, SchemaWriter } from './describe-schema.ts'
import { sampleNotice } from './samples.ts'

const headers: readonly (readonly [name: string, description: string, schema: Json])[] = [
  [
    webhookHeaders.signature,
    'HMAC-SHA256 of the exact bytes of the body, keyed with the API key that created the receipt. Compare in constant time.',
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ],
  [webhookHeaders.event, 'The name of the event, as in the body.', { type: 'string', const: webhookEvent }],
  [
    webhookHeaders.delivery,
    'The id of this delivery attempt. Retries have another one.',
    { type: 'string', format: 'uuid' },
  ],
  [webhookHeaders.idempotencyKey, 'As in the body; the same on every retry.', { type: 'string' }],
  [
    webhookHeaders.timestamp,
    'When it was sent, in Unix milliseconds.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
]

/** What the service sends, beside what it answers: the `webhooks` of the API's document. */
export function describeWebhooks(writer: SchemaWriter): Json {
  return {
    [webhookEvent]: {
      post: {
        operationId: 'receiveReceiptStatusUpdated',
        summary: 'The status of a receipt changed',
        description:
          'Sent to the `webhook_url` of the receipt. Answer 2xx within 5 seconds. The same event may arrive more than once and out of order. Partner brands also send the headers with their own prefix.',
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
          '2XX': { description: 'Accepted; the event is not sent again' },
          '4XX': { description: 'Rejected; the event is sent again, as after any other answer or none' },
        },
      },
    },
  }
}

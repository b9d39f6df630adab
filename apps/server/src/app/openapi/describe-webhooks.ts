import { type WebhookKind, webhookKindNames, webhookKinds } from '@sluice/protocol/api/webhook-body.ts'
import { webhookHeaders } from '@sluice/protocol/webhook.ts'
import type { Json, SchemaWriter } from './describe-schema.ts'

const headersOf = (
  kind: WebhookKind,
): readonly (readonly [name: string, description: string, schema: Json])[] => [
  [
    webhookHeaders.signature,
    'HMAC-SHA256 of the exact bytes of the body, keyed with the API key that created the receipt. Compare in constant time.',
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ],
  [webhookHeaders.event, 'The name of the event, as in the body.', { type: 'string', const: kind }],
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
  return Object.fromEntries(webhookKindNames.map((kind) => [kind, { post: describeKind(kind, writer) }]))
}

function describeKind(kind: WebhookKind, writer: SchemaWriter): Json {
  const { summary, madeFrom, schema, sample: example } = webhookKinds[kind]
  return {
    operationId: `receive${kind.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary,
    description: `Sent to the \`webhook_url\` of the ${madeFrom}. Answer 2xx within 5 seconds. The same event may arrive more than once and out of order. Partner brands also send the headers with their own prefix.`,
    tags: ['notifications'],
    security: [{}],
    parameters: headersOf(kind).map(([name, description, schema]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: writer.write(schema), example } },
    },
    responses: {
      '2XX': { description: 'Accepted; the event is not sent again' },
      '4XX': { description: 'Rejected; the event is sent again, as after any other answer or none' },
    },
  }
}

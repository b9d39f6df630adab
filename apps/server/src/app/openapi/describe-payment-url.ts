import { x402ErrorBody, x402Headers, x402PaidBody, x402RequiredBody } from '@sluice/protocol/x402/messages.ts'
import type { TSchema } from 'typebox'
import type { Json, SchemaWriter } from './describe-schema.ts'
import { makeExample } from './make-example.ts'

/** Payment URL for programs (x402), outside /api. */
export const paymentUrlPath = '/pay/{id}'

export function describePaymentUrl(writer: SchemaWriter): Json {
  const response = (
    description: string,
    schema: TSchema,
    ...headers: readonly (keyof typeof headerTexts)[]
  ) => ({
    description,
    headers: { ...common, ...Object.fromEntries(headers.map((name) => [name, describeHeader(name)])) },
    content: {
      'application/json': {
        schema: writer.write(schema),
        ...(schema === x402PaidBody && { example: makeExample(schema) }),
      },
    },
  })
  const refused = (description: string, name: string, isBusy = false) => ({
    description,
    headers: { ...common, ...(isBusy && { 'Retry-After': retryAfter }) },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  return {
    operationId: 'getPaymentUrl',
    summary: 'Pay a receipt by x402',
    description:
      'The payment URL of a receipt, asked for JSON: what is to be paid, and with a payment what became of it (x402, version 2). Without `Accept: application/json` it is the checkout page. `/portal/{id}` is the same.',
    tags: ['checkout'],
    security: [{}],
    parameters,
    responses: {
      200: response(
        'The receipt is paid, or this payment of it is in the chain',
        x402PaidBody,
        x402Headers.response,
      ),
      202: response(
        'Enough was sent and awaits its block or its confirmations; repeat the same request',
        x402PaidBody,
        x402Headers.response,
        'Retry-After',
      ),
      400: response('The payment is malformed, or the amount is outside the limits', x402ErrorBody),
      402: response(
        'It is to be paid; if a payment came, it was not taken',
        x402RequiredBody,
        x402Headers.required,
        x402Headers.response,
      ),
      403: response('The merchant takes no payments yet', x402ErrorBody),
      404: refused('Not found', 'NotFoundError'),
      409: response(
        'It is paid already, or being paid; nothing was taken',
        x402ErrorBody,
        x402Headers.response,
      ),
      410: response('It was cancelled, has expired or has failed', x402ErrorBody),
      429: refused('Too many requests', 'RateLimitedError', true),
      500: refused('An internal error', 'FailedError'),
      503: refused('A dependency is unavailable', 'Error', true),
    },
  }
}

const parameters: readonly Json[] = [
  { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  {
    name: 'recipient',
    in: 'query',
    required: false,
    description: "The merchant's wallet; only ids that Sluice generated are found without it.",
    schema: { type: 'string' },
  },
  {
    name: x402Headers.signature,
    in: 'header',
    required: false,
    description: 'A payment: base64 of the JSON of a PaymentPayload. The same one again is the same payment.',
    schema: { type: 'string', maxLength: 8_192 },
  },
]

const common = { 'x-correlation-id': { $ref: '#/components/headers/CorrelationId' } }
const retryAfter = { $ref: '#/components/headers/RetryAfter' }

const headerTexts = {
  [x402Headers.required]: 'Base64 of the JSON of the body, without `receipt`.',
  [x402Headers.response]: 'Base64 of the JSON of a SettlementResponse, if the request had a payment.',
  'Retry-After': '',
} as const

function describeHeader(name: keyof typeof headerTexts): Json {
  return name === 'Retry-After' ? retryAfter : { description: headerTexts[name], schema: { type: 'string' } }
}

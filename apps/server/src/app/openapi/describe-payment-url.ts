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
      'Returns the payment requirements of a receipt and, if the request includes a payment, its result (x402, version 2). Without `Accept: application/json`, returns the checkout page. `/portal/{id}` is an alias.',
    tags: ['checkout'],
    security: [{}],
    parameters,
    responses: {
      200: response(
        'The receipt is paid, or the payment is on the chain',
        x402PaidBody,
        x402Headers.response,
      ),
      202: response(
        'The payment was sent and awaits its block or confirmations; repeat the same request',
        x402PaidBody,
        x402Headers.response,
        'Retry-After',
      ),
      400: response('The payment is malformed, or the amount is outside the limits', x402ErrorBody),
      402: response(
        'Payment required; a payment in the request was not accepted',
        x402RequiredBody,
        x402Headers.required,
        x402Headers.response,
      ),
      403: response('The merchant cannot accept payments yet', x402ErrorBody),
      404: refused('Not found', 'NotFoundError'),
      409: response(
        'The receipt is already paid or being paid; no money was taken',
        x402ErrorBody,
        x402Headers.response,
      ),
      410: response('The receipt was cancelled, expired or failed', x402ErrorBody),
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
    description: "The merchant's wallet. Optional only for ids that Sluice generated.",
    schema: { type: 'string' },
  },
  {
    name: x402Headers.signature,
    in: 'header',
    required: false,
    description:
      'A payment: a PaymentPayload as base64-encoded JSON. Repeating the same payload does not pay again.',
    schema: { type: 'string', maxLength: 8_192 },
  },
]

const common = { 'x-correlation-id': { $ref: '#/components/headers/CorrelationId' } }
const retryAfter = { $ref: '#/components/headers/RetryAfter' }

const headerTexts = {
  [x402Headers.required]: 'The JSON body without `receipt`, base64-encoded.',
  [x402Headers.response]: 'A SettlementResponse as base64-encoded JSON, if the request included a payment.',
  'Retry-After': '',
} as const

function describeHeader(name: keyof typeof headerTexts): Json {
  return name === 'Retry-After' ? retryAfter : { description: headerTexts[name], schema: { type: 'string' } }
}

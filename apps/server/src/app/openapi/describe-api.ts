import { namedSchemas } from '@sluice/protocol/api/named.ts'
import { type WebhookKind, webhookKindNames, webhookKinds } from '@sluice/protocol/api/webhook-body.ts'
import { webhookHeaders } from '@sluice/protocol/webhook.ts'
import type { TSchema } from 'typebox'
import type { Route } from '../../access/route.ts'
import { describePaymentUrl, paymentUrlPath } from './describe-payment-url.ts'
import { describeErrors, describeResponses, responseHeaders } from './describe-responses.ts'
import { isRequired, type Json, SchemaWriter } from './describe-schema.ts'
import { sampleBodies } from './samples.ts'
import { rankOf, tagGroups, tagOf } from './tags.ts'

export type ApiSite = { readonly baseUrl: string; readonly version: string }

/** Returns the OpenAPI 3.1 document, from the schemas that validate requests. Pure. */
export function describeApi(routes: readonly Route[], site: ApiSite): Json {
  const writer = new SchemaWriter(namedSchemas)
  const paths: Record<string, Record<string, Json>> = {}
  const sorted = routes.toSorted((one, other) => rankOf(tagOf(one.path)) - rankOf(tagOf(other.path)))
  for (const route of sorted) {
    const path = paths[route.path] ?? {}
    paths[route.path] = path
    path[route.method.toLowerCase()] = describeRoute(route, writer)
  }
  paths[paymentUrlPath] = { get: describePaymentUrl(writer) }
  paths['/healthz'] = { get: health }
  const schemas = Object.entries(namedSchemas).map(([name, schema]) => [name, writer.writeInFull(schema)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: site.version,
      description:
        'Accept cryptocurrency payments on a hosted checkout, split them on-chain, and receive signed webhooks.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: site.baseUrl }],
    tags: tagGroups.flatMap(({ tags }) =>
      Object.entries(tags).map(([name, description]) => ({ name, description })),
    ),
    'x-tagGroups': tagGroups.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
    externalDocs: { description: 'Guides', url: `${site.baseUrl}/docs/` },
    paths,
    webhooks: describeWebhooks(writer),
    components: {
      schemas: { ...describeErrors(writer), ...Object.fromEntries(schemas) },
      headers: responseHeaders,
      parameters: headerParameters,
      securitySchemes: {
        subscriptionKey: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'apiKey', in: 'cookie', name: 'cb_auth_token' },
      },
    },
  }
}

function describeRoute(route: Route, writer: SchemaWriter): Json {
  const scope = 'scope' in route.access ? ` Scope: \`${route.access.scope}\`.` : ''
  const parameters = [
    ...parametersOf(route.params, 'path', writer),
    ...parametersOf(route.query, 'query', writer),
    ...headersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  return {
    operationId: operationIdOf(route),
    summary: route.description.split(/\.(?: |$)/, 1)[0],
    description: `${route.description}${scope}`,
    tags: [tagOf(route.path)],
    security: securityOf(route),
    ...(route.path === '/api/split/withdraw' && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBodyOf(route, route.body, writer) }),
    responses: describeResponses(route, writer),
  }
}

function requestBodyOf(route: Route, schema: TSchema, writer: SchemaWriter): Json {
  const { anyOf } = schema as { anyOf?: readonly { type?: string }[] }
  const required = anyOf?.some((each) => each.type === 'undefined') !== true
  const contentType = route.intake?.type === 'text/csv' ? 'text/csv' : 'application/json'
  const example = sampleBodies[`${route.method} ${route.path}`]
  return {
    required,
    content: { [contentType]: { schema: writer.write(schema), ...(example && { example }) } },
  }
}

function securityOf(route: Route): readonly Json[] {
  const keys = [{ subscriptionKey: [] }, { apiKey: [] }]
  const session = [{ session: [] }]
  switch (route.access.kind) {
    case 'public':
      return [{}]
    case 'session':
      return session
    case 'key-or-public':
    case 'known-or-public':
      return [{}, ...keys, ...session]
    case 'key-or-session':
    case 'known':
      return [...keys, ...session]
    case 'judged-later':
      return route.document?.isKeyed ? [...keys, ...session] : [{}, ...session]
    default:
      return keys
  }
}

function headersOf({ method, access }: Route): (keyof typeof headerParameters)[] {
  const isWrite = method !== 'GET'
  return [
    'CorrelationId',
    ...(method === 'POST' && access.kind !== 'public' ? (['IdempotencyKey'] as const) : []),
    ...(isWrite && access.kind !== 'public' && access.kind !== 'key' ? (['CsrfToken'] as const) : []),
    ...(access.kind === 'key-or-public' ? (['MerchantWallet'] as const) : []),
  ]
}

const headerParameters = {
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description: 'Your own id for this request, returned as x-correlation-id.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A repeated request with the same key and body within seven days gets the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  CsrfToken: {
    name: 'x-csrf-token',
    in: 'header',
    description: 'Required with a session: the `csrfToken` from the login.',
    schema: { type: 'string' },
  },
  MerchantWallet: {
    name: 'x-merchant-wallet',
    in: 'header',
    description: "Required without a key: the wallet of the shop's merchant.",
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  },
} as const

const health: Json = {
  operationId: 'getHealthz',
  summary: 'Check that the process is running',
  description: 'Responds while the process runs. Does not query the database or the chain.',
  tags: ['probes'],
  security: [{}],
  responses: {
    200: {
      description: 'The process is running',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['status'],
            properties: { status: { type: 'string', const: 'ok' } },
          },
          example: { status: 'ok' },
        },
      },
    },
    400: {
      description: 'The request is not valid HTTP; for example, it names two hosts',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  },
}

function parametersOf(schema: Route['params'], place: 'path' | 'query', writer: SchemaWriter): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, object>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, deprecated, ...written } = writer.write(property)
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name) || isRequired(property),
      ...(description !== undefined && { description }),
      ...(deprecated !== undefined && { deprecated }),
      schema: written,
    }
  })
}

function operationIdOf(route: Route): string {
  const words = route.path
    .replace(/^\/api\//, '')
    .split(/[/-]/)
    .map((part) => (part.startsWith('{') ? `By${capital(part.slice(1, -1))}` : capital(part)))
  return route.method.toLowerCase() + words.join('')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const webhookHeadersOf = (
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
    'The id of this delivery attempt. Each retry has a new id.',
    { type: 'string', format: 'uuid' },
  ],
  [
    webhookHeaders.idempotencyKey,
    'The idempotency key of the body, the same on every retry.',
    { type: 'string' },
  ],
  [
    webhookHeaders.timestamp,
    'Time of the attempt, in Unix milliseconds.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
]

function describeWebhooks(writer: SchemaWriter): Json {
  return Object.fromEntries(webhookKindNames.map((kind) => [kind, { post: describeKind(kind, writer) }]))
}

function describeKind(kind: WebhookKind, writer: SchemaWriter): Json {
  const { summary, madeFrom, schema, sample: example } = webhookKinds[kind]
  return {
    operationId: `receive${kind.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary,
    description: `Sent to the \`webhook_url\` of the ${madeFrom}. Respond with 2xx within 5 seconds. The same event can arrive more than once and out of order. Partner brands also send the headers with their own prefix.`,
    tags: ['notifications'],
    security: [{}],
    parameters: webhookHeadersOf(kind).map(([name, description, schema]) => ({
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
      '4XX': { description: 'Rejected; the event is sent again, as after any other response or no response' },
    },
  }
}

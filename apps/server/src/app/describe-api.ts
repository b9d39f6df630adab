import { errorBody } from '@sluice/protocol/api/error.ts'
import { type ErrorCode, errorStatus } from '@sluice/protocol/errors.ts'
import type { Route } from '../access/route.ts'

type Json = Readonly<Record<string, unknown>>

/** What the document says of the deployment it is served by. */
export type ApiSite = { readonly baseUrl: string; readonly version: string }

/**
 * The OpenAPI 3.1 document of the API, from the very schemas that check requests. Pure.
 */
export function describeApi(routes: readonly Route[], site: ApiSite): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = paths[route.path] ?? {}
    paths[route.path] = path
    path[route.method.toLowerCase()] = describeRoute(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: site.version,
      description:
        'Receipts paid in cryptocurrency on a hosted checkout, distributed on-chain, told by signed webhooks.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: site.baseUrl }],
    tags: [...new Set(routes.map((route) => tagOf(route.path)))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorBody },
      securitySchemes: {
        subscriptionKey: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'apiKey', in: 'cookie', name: 'cb_auth_token' },
      },
    },
  }
}

function describeRoute(route: Route): Json {
  const scope = 'scope' in route.access ? ` Scope: \`${route.access.scope}\`.` : ''
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: `${route.summary}.${scope}`,
    tags: [tagOf(route.path)],
    security: securityOf(route),
    ...(hasParameters(route) && {
      parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    }),
    ...(route.body && { requestBody: requestBodyOf(route.body, route.bodyType) }),
    responses: { ...answersOf(route), ...refusalsOf(route) },
  }
}

/** A schema that also takes no body at all says so by the type `undefined`, which JSON Schema does not know. */
function requestBodyOf(schema: NonNullable<Route['body']>, bodyType: Route['bodyType']): Json {
  const { anyOf } = schema as { anyOf?: readonly { type?: string }[] }
  const given = anyOf?.filter((each) => each.type !== 'undefined')
  const isOptional = given !== undefined && given.length < (anyOf?.length ?? 0)
  const body = isOptional ? (given.length === 1 ? given[0] : { anyOf: given }) : schema
  const contentType = bodyType === 'text/csv' ? bodyType : 'application/json'
  return { required: !isOptional, content: { [contentType]: { schema: body } } }
}

function securityOf(route: Route): readonly Json[] {
  const keys = [{ subscriptionKey: [] }, { apiKey: [] }]
  const session = [{ session: [] }]
  switch (route.access.kind as string) {
    case 'public':
    case 'judged-later':
      return [{}]
    case 'session':
      return session
    case 'key-or-public':
      return [{}, ...keys, ...session]
    case 'key-or-session':
    case 'known':
      return [...keys, ...session]
    default:
      return keys
  }
}

function answersOf(route: Route): Json {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, schema]) => [
      status,
      {
        description: statusTexts[status] ?? 'Answer',
        content: { [route.answerType ?? 'application/json']: { schema } },
      },
    ]),
  )
}

/** The refusals every route may answer with (contract: Endpoints), and those its own shape brings. */
function refusalsOf(route: Route): Json {
  const isPublic = route.access.kind === 'public'
  const statuses = [
    ...(route.body || route.query ? [400] : []),
    ...(isPublic ? [] : [401, 403]),
    ...(route.params ? [404] : []),
    ...(Object.keys(route.answers).length === 0 ? [410] : []),
    429,
    500,
    503,
  ]
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: `${statusTexts[status] ?? 'Refused'}: ${codesOf(status).join(', ')}`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

function codesOf(status: number): ErrorCode[] {
  return (Object.keys(errorStatus) as ErrorCode[]).filter((code) => errorStatus[code] === status)
}

const statusTexts: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  204: 'Done, nothing to say',
  400: 'The request is not right',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Not there',
  410: 'No longer offered',
  429: 'Too many requests',
  500: 'A fault of ours',
  503: 'Something needed cannot be reached',
}

function hasParameters(route: Route): boolean {
  return route.params !== undefined || route.query !== undefined
}

function parametersOf(schema: Route['params'], place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(property.description !== undefined && { description: property.description }),
    schema: property,
  }))
}

/** `GET /api/receipts/{id}` is `getReceiptsById`. */
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

function tagOf(path: string): string {
  return path.split('/')[2] ?? 'other'
}

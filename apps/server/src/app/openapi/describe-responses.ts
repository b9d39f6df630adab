import { errorSchemas } from '@sluice/protocol/api/error.ts'
import { warned } from '@sluice/protocol/api/warnings.ts'
import { type ErrorCode, errorStatus } from '@sluice/protocol/errors.ts'
import type { TSchema } from 'typebox'
import type { Route } from '../../access/route.ts'
import type { Json, SchemaWriter } from './describe-schema.ts'
import { makeExample } from './make-example.ts'
import { sampleTexts } from './sample-texts.ts'
import { sampleResponses } from './samples.ts'

export function describeResponses(route: Route, writer: SchemaWriter): Json {
  const responses = route.document?.responses ?? route.responses
  const good = Object.entries(responses).map(([status, schema]) => [
    status,
    {
      description: statusTexts[status] ?? 'The answer',
      headers: {
        ...headersOf(route, status),
        ...((schema as { type?: string }).type === 'array' && { 'X-Next-Cursor': nextCursor }),
      },
      content: {
        [route.document?.responseType ?? 'application/json']: describeResponse(route, status, schema, writer),
      },
    },
  ])
  return {
    ...Object.fromEntries(good),
    ...(good.length === 0 && { 204: withdrawnElsewhere }),
    ...describeApiErrors(route),
  }
}

/** Adds `warnings` for unknown fields to the response of a write. */
function describeResponse(route: Route, status: string, schema: TSchema, writer: SchemaWriter): Json {
  const written = writer.write(schema)
  const isWarned =
    route.body && route.intake?.type !== 'text/csv' && !route.document?.responseType && isObject(schema)
  const name = `${route.method} ${route.path}`
  const [sample, text] = [sampleResponses[name], sampleTexts[name]]
  return {
    schema: isWarned ? { allOf: [written, writer.write(warned)] } : written,
    example: text ?? (String(sample?.status) === status ? sample?.body : makeExample(schema)),
  }
}

function isObject(schema: TSchema): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: readonly TSchema[] }
  return type === 'object' || anyOf?.every(isObject) === true
}

/**
 * A response that some deployments send instead of 410. Clients must handle both. See
 * docs/contract.md#splits.
 */
const withdrawnElsewhere: Json = {
  description: 'Nothing was done. Some deployments return this status instead of 410; this one does not',
  headers: { 'x-correlation-id': { $ref: '#/components/headers/CorrelationId' } },
}

/** One schema per error code, so that clients can distinguish them by `error`. */
export function describeErrors(writer: SchemaWriter): Record<string, Json> {
  const codes = Object.keys(errorStatus) as ErrorCode[]
  return {
    Error: oneOfErrors(codes),
    ...Object.fromEntries([...errorSchemas].map(([code, it]) => [errorName(code), writer.writeInFull(it)])),
  }
}

export const responseHeaders: Readonly<Record<string, Json>> = {
  CorrelationId: {
    description: 'Identifies this request in our logs; your own X-Correlation-Id if you sent one.',
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'The number of requests allowed per minute.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'The number of requests left.', schema: { type: 'integer' } },
  RateLimitReset: {
    description: 'Time when the full limit is available again, in Unix milliseconds.',
    schema: { type: 'integer', format: 'int64' },
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
  IdempotencyReplayed: {
    description: 'Present if this response repeats the first response for this Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

function describeApiErrors(route: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(route)) {
    const status = errorStatus[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: `${statusTexts[status] ?? 'Rejected'}: ${codes.join(', ')}`,
        headers: headersOf(route, String(status)),
        content: { 'application/json': { schema: oneOfErrors(codes) } },
      },
    ]),
  )
}

/** A list that is a bare array has no room for the cursor in its body. */
const nextCursor: Json = {
  description: 'Send this value as `cursor` to get the next page. Absent on the last page.',
  schema: { type: 'string' },
}

export function codesOf(route: Route): ErrorCode[] {
  const access = route.access.kind
  const hasOwner = access !== 'public'
  const codes = new Set<ErrorCode>([
    'invalid_input',
    'unauthorized',
    'forbidden',
    ...(access === 'session' || access === 'key-or-session' ? (['wallet_required'] as const) : []),
    ...(route.params ? (['not_found'] as const) : []),
    ...(route.method === 'POST' && hasOwner ? (['idempotency_conflict'] as const) : []),
    ...(Object.keys(route.responses).length === 0 ? (['deprecated'] as const) : []),
    ...(route.document?.apiErrors ?? []),
    'rate_limited',
    'failed',
    'datastore_unavailable',
  ])
  return (Object.keys(errorStatus) as ErrorCode[]).filter((code) => codes.has(code))
}

function headersOf(route: Route, status: string): Json {
  const ref = (name: string) => ({ $ref: `#/components/headers/${name}` })
  return {
    'x-correlation-id': ref('CorrelationId'),
    'X-RateLimit-Limit': ref('RateLimitLimit'),
    'X-RateLimit-Remaining': ref('RateLimitRemaining'),
    'X-RateLimit-Reset': ref('RateLimitReset'),
    ...((status === '429' || status === '503') && { 'Retry-After': ref('RetryAfter') }),
    ...(route.method === 'POST' &&
      status.startsWith('2') && { 'Idempotency-Replayed': ref('IdempotencyReplayed') }),
  }
}

function oneOfErrors(codes: readonly ErrorCode[]): Json {
  const refs = codes.map((code) => ({ $ref: `#/components/schemas/${errorName(code)}` }))
  const [only] = refs
  if (only && refs.length === 1) return only
  const mapping = Object.fromEntries(codes.map((code, i) => [code, refs[i]?.$ref]))
  return { oneOf: refs, discriminator: { propertyName: 'error', mapping } }
}

function errorName(code: ErrorCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Error`
}

const statusTexts: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Created',
  204: 'Success, without content',
  400: 'The request is not valid',
  401: 'No valid credentials',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict with the current state',
  410: 'No longer offered',
  429: 'Too many requests',
  500: 'An internal error',
  503: 'A dependency is unavailable',
}

import { type ErrorCode, errorStatus } from '@sluice/protocol/errors.ts'
import type { Question, Reply } from '../../../support/api/raw-requests.ts'
import type { Credential } from '../../../support/routes/route-sample.ts'

export type BadCase = {
  readonly what: string
  readonly question: Question
  /**
   * Allowed statuses and codes, such as `400 invalid_input`. An empty list allows any response that the
   * contract describes.
   */
  readonly expect: readonly string[]
}

export type Make = (what: string, body: unknown, expect?: readonly string[]) => BadCase

export type Headers = Readonly<Record<Credential, Readonly<Record<string, string>>>>

export const invalid = ['400 invalid_input']
export const unauthorized = ['401 unauthorized']
export const forbidden = ['403 forbidden']
export const notFound = ['404 not_found']

/** Internals that no response may contain: stacks, SQL, paths, packages. */
const internals = [
  /\bat (async )?[\w.<>[\] ]+ \((file|node|\/|[a-z]+:)/i,
  /\.(ts|js|mjs):\d+/,
  /node_modules|node:internal|file:\/\//,
  /\/(work|home|tmp|root|usr|var)\//,
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.*\b(FROM|SET|VALUES|WHERE)\b/,
  /violates|duplicate key value|invalid byte sequence|syntax error at|out of range for type|relation "|column "/,
  /\b(22P02|22021|23505|22003|FST_ERR|ECONN|HPE_)/,
  /postgres|fastify|typebox|undici/i,
]

const plainStatuses = [200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 409, 410]

/**
 * Returns the errors in the response to a bad request.
 *
 * @param secrets - Values that the response may contain only if the request did.
 */
export function validateReply(
  question: Question,
  reply: Reply,
  expect: readonly string[],
  secrets: readonly string[],
): string[] {
  const { status, headers, text } = reply
  const errors: string[] = []
  if (!plainStatuses.includes(status)) errors.push(`has the status ${status}`)
  const isApi = question.target.startsWith('/api/')
  const body = status >= 400 && isJson(reply) ? parse(text) : undefined
  const outcome = `${status} ${String(body?.error)}`
  if (expect.length > 0 && !expect.includes(outcome))
    errors.push(`is ${outcome} and not ${expect.join(' or ')}`)
  if (isApi && headers['cache-control'] !== 'no-store') errors.push('may be cached')
  if (isApi && !headers['x-correlation-id'] && headers.connection !== 'close')
    errors.push('has no correlation id')
  if (status < 400) return errors
  if (isApi && question.method !== 'HEAD') errors.push(...errorsInBody(status, body))
  if (isApi && isEcho(text, question)) errors.push('repeats more than 100 characters of the request')
  if (/[<>]script/i.test(text) && !isJson(reply)) errors.push('repeats markup of the request')
  const shown = text + JSON.stringify(headers)
  const sent = JSON.stringify(question)
  if (secrets.some((secret) => shown.includes(secret) && !sent.includes(secret)))
    errors.push('shows a secret')
  // A random id may contain any five digits.
  const searched = shown.replaceAll(String(headers['x-correlation-id']), '')
  for (const pattern of internals)
    if (pattern.test(searched)) errors.push(`shows ${pattern.exec(searched)?.[0]}`)
  return errors
}

/** Returns whether a response repeats more than 100 consecutive characters of the request. */
function isEcho(text: string, { target, body }: Question): boolean {
  const sent = [target, decode(target), String(body ?? '')].filter(({ length }) => length > 100)
  if (sent.length === 0) return false
  for (let at = 0; at + 101 <= text.length; at += 1) {
    const piece = text.slice(at, at + 101)
    if (sent.some((each) => each.includes(piece))) return true
  }
  return false
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function errorsInBody(status: number, body: Record<string, unknown> | undefined): string[] {
  if (!body) return ['is no JSON']
  const { error, message, issues } = body
  const code = String(error)
  if (!Object.hasOwn(errorStatus, code)) return [`has the unknown code ${code}`]
  const paths = Array.isArray(issues) ? issues.map((issue: { path?: unknown }) => issue.path) : []
  return [
    ...(errorStatus[code as ErrorCode] === status ? [] : [`has ${code} with ${status}`]),
    ...(typeof message === 'string' && message !== '' ? [] : ['has no message']),
    ...(error === 'invalid_input' && !Array.isArray(issues) ? ['has no issues'] : []),
    ...paths
      .filter((path) => typeof path !== 'string' || /^\/|\[\d+\]/.test(path))
      .map((path) => `has the path ${String(path)}`),
  ]
}

function isJson({ headers }: Reply): boolean {
  return String(headers['content-type']).startsWith('application/json')
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

import { type ErrorCode, errorStatus } from '@sluice/protocol/errors.ts'
import type { Question, Reply } from '../api/raw-requests.ts'

/** What shows the inside of a program: stacks, statements, paths, its parts. */
const inside = [
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
 * What is wrong with an answer to a bad request; nothing where nothing is.
 *
 * @param secrets - What it must not contain unless it was sent.
 */
export function judgeReply(
  question: Question,
  reply: Reply,
  expect: readonly string[],
  secrets: readonly string[],
): string[] {
  const { status, headers, text } = reply
  const faults: string[] = []
  if (!plainStatuses.includes(status)) faults.push(`has the status ${status}`)
  const isApi = question.target.startsWith('/api/')
  const isRefused = status >= 400
  const body = isRefused && isJson(reply) ? parse(text) : undefined
  if (expect.length > 0) {
    const came = `${status} ${String(body?.error)}`
    if (!expect.includes(came)) faults.push(`is ${came} and not ${expect.join(' or ')}`)
  }
  if (isApi && isRefused && question.method !== 'HEAD') faults.push(...faultsOfRefusal(status, body))
  if (isApi && headers['cache-control'] !== 'no-store') faults.push('may be cached')
  if (isApi && !headers['x-correlation-id'] && headers.connection !== 'close')
    faults.push('has no correlation id')
  if (isRefused) {
    const shown = text + JSON.stringify(headers)
    // A random id may begin with any five digits.
    const own = shown.replaceAll(String(headers['x-correlation-id']), '')
    for (const pattern of inside) if (pattern.test(own)) faults.push(`shows ${pattern.exec(own)?.[0]}`)
    const sent = JSON.stringify(question)
    if (isApi && echoes(text, question)) faults.push('gives back more than 100 characters of what was sent')
    if (secrets.some((secret) => shown.includes(secret) && !sent.includes(secret)))
      faults.push('shows a secret')
    if (/[<>]script/i.test(text) && !isJson(reply)) faults.push('shows markup that was sent')
  }
  return faults
}

/** Whether an answer holds a piece of the request that is longer than it may be. */
function echoes(text: string, { target, body }: Question): boolean {
  const sent = [target, safeDecode(target), String(body ?? '')].filter((each) => each.length > 100)
  for (let at = 0; at + 101 <= text.length; at += 1) {
    const piece = text.slice(at, at + 101)
    if (sent.some((each) => each.includes(piece))) return true
  }
  return false
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function faultsOfRefusal(status: number, body: Record<string, unknown> | undefined): string[] {
  if (!body) return ['is no JSON']
  const { error, message, issues } = body
  const faults: string[] = []
  if (!Object.hasOwn(errorStatus, String(error))) return [`has the unknown code ${String(error)}`]
  if (errorStatus[error as ErrorCode] !== status) faults.push(`has ${String(error)} with ${status}`)
  if (typeof message !== 'string' || message === '') faults.push('has no message')
  if (error === 'invalid_input' && !Array.isArray(issues)) faults.push('has no issues')
  const paths = Array.isArray(issues) ? issues.map((issue: { path?: unknown }) => issue.path) : []
  for (const path of paths)
    if (typeof path !== 'string' || /^\/|\[\d+\]/.test(path)) faults.push(`has the path ${String(path)}`)
  return faults
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

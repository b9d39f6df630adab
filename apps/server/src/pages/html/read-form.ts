import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'

const maxFormBytes = 16 * 1024
const maxFields = 200

/**
 * Fields of a form. If a field was sent twice, the first value is used.
 *
 * Control characters other than line breaks and tabs are rejected.
 */
export type Form = { get(name: string): string | undefined; names(): readonly string[] }

export function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  )
}

/** @throws {ApiError} `invalid_input` if the form has too many fields or contains control characters. */
export function readForm({ body }: FastifyRequest): Form {
  const sent = body instanceof URLSearchParams ? body : new URLSearchParams()
  if (sent.size > maxFields) throw new ApiError('invalid_input', 'The form has too many fields')
  const fields = new Map<string, string>()
  for (const [name, value] of sent) {
    if (/\p{Cc}|\p{Cs}/u.test(name) || /[^\P{Cc}\r\n\t]|\p{Cs}/u.test(value))
      throw new ApiError('invalid_input', 'The form contains invalid characters')
    if (!fields.has(name)) fields.set(name, value)
  }
  return { get: (name) => fields.get(name), names: () => [...fields.keys()] }
}

/**
 * Returns whether a page of this service sent the form, according to `Sec-Fetch-Site` or `Origin`. Returns
 * false if neither header was sent.
 */
export function isSentByOwnPage({ headers }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return new URL(origin).host === host?.toLowerCase() || origin === new URL(baseUrl).origin
}

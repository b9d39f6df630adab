import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/refusal.ts'

const maxFormBytes = 16 * 1024
const maxFields = 200

/**
 * What a form sent: each field as text, the first where one was sent twice. It is small, and holds no sign that a
 * person cannot type.
 */
export type Form = { get(name: string): string | undefined; names(): readonly string[] }

/** Has the routes of `scope` take what HTML forms send. */
export function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  )
}

/** The form of a request. @throws {Refusal} `invalid_input` for what no form of ours sends. */
export function readForm({ body }: FastifyRequest): Form {
  const sent = body instanceof URLSearchParams ? body : new URLSearchParams()
  if (sent.size > maxFields) throw new Refusal('invalid_input', 'The form has too many fields')
  const fields = new Map<string, string>()
  for (const [name, value] of sent) {
    if (/\p{Cc}|\p{Cs}/u.test(name) || /[^\P{Cc}\r\n\t]|\p{Cs}/u.test(value))
      throw new Refusal('invalid_input', 'The form holds characters that are no text')
    if (!fields.has(name)) fields.set(name, value)
  }
  return { get: (name) => fields.get(name), names: () => [...fields.keys()] }
}

/**
 * Whether a form was sent by a page of this service, and not by another site on behalf of its visitor: as the
 * browser says. One that says nothing of it is not believed.
 */
export function isSentByOwnPage({ headers }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return new URL(origin).host === host?.toLowerCase() || origin === new URL(baseUrl).origin
}

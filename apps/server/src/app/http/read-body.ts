import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Route } from '../../access/route.ts'
import { faultOfText, readJson } from '../../kernel/read-json.ts'
import { type Issue, invalidInput } from '../../kernel/refusal.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

/** What a route's configuration on the server says of its body. */
export type BodyConfig = { readonly bodyType: NonNullable<Route['intake']>['type'] }

declare module 'fastify' {
  interface FastifyRequest {
    rawBody: Uint8Array | undefined
  }
}

const noBytes = new Uint8Array()

/** The bytes of a request's body as they came; none where it had none. */
export function rawBodyOf(request: FastifyRequest): Uint8Array {
  return request.rawBody ?? noBytes
}

/** Refuses a body that says it is larger than its route takes, before any of it is read. */
export function refuseDeclaredSize(request: FastifyRequest, bodyLimit: number): void {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit)
    throw invalidInput({ path: '', message: `The body must not be larger than ${bodyLimit} bytes` })
}

/** A body is read as it came: what says it is packed would be taken for something else than its sender means. */
export function refuseEncodedBody({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw invalidInput({ path: '', message: 'The body must be sent without Content-Encoding' })
}

/**
 * Reads bodies as their routes want them: JSON for most, text/csv or plain bytes for those that say so.
 * Every other content type is refused as `invalid_input`.
 */
export function addBodyReaders(app: FastifyInstance): void {
  app.decorateRequest('rawBody')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.rawBody = body
      const bodyType = bodyTypeOf(request)
      if (bodyType === 'bytes') return body
      if (bodyType) throw wrongType(bodyType)
      return body.length === 0 ? undefined : readJson(readText(body))
    },
  )
  app.addContentTypeParser(
    'text/csv',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.rawBody = body
      if (bodyTypeOf(request) !== 'text/csv') throw wrongType('application/json')
      const text = readFile(body)
      const fault = faultOfText(text)
      if (fault) throw invalidInput({ path: '', message: fault })
      return text
    },
  )
}

function bodyTypeOf(request: FastifyRequest): BodyConfig['bodyType'] {
  return (request.routeOptions.config as Partial<BodyConfig>).bodyType
}

/** A byte order mark, which editors and spreadsheets write, is left out. */
function readText(body: Buffer): string {
  if (!isUtf8(body)) throw invalidInput({ path: '', message: 'The body is not valid UTF-8' })
  const text = body.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** A file as spreadsheets write it: UTF-8, or UTF-16 with its byte order mark, which Excel calls Unicode text. */
function readFile(body: Buffer): string {
  const mark = body.toString('hex', 0, 2)
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body)
  } catch {
    throw invalidInput({ path: '', message: 'The file is not valid UTF-8: save it as "CSV UTF-8"' })
  }
}

function wrongType(right: string) {
  return invalidInput({ path: '', message: `The body must be sent as ${right}` })
}

/**
 * The query of a request, each parameter once and each one known to its route: a name that was misspelt would
 * otherwise filter nothing, and two readers could take two different values of one that is sent twice.
 *
 * @throws {Refusal} `invalid_input` with the known name that an unknown one is like.
 */
export function readQuery(
  schema: TSchema | undefined,
  sent: Record<string, unknown>,
): Record<string, string> {
  const known = namesOf(schema)
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'string') issues.push({ path: name, message: 'was sent more than once' })
    else if (!known.includes(name)) issues.push(unknown(name, known))
  }
  if (issues.length > 0) throw invalidInput(...issues.slice(0, 20))
  return wellFormed(sent as Record<string, string>)
}

/** NUL is refused wherever it stands: the database would not take it. */
export function wellFormed(values: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(values)) {
    const fault = faultOfText(value)
    if (fault) throw invalidInput({ path: name, message: fault })
  }
  return values
}

function namesOf(schema: TSchema | undefined): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}

function unknown(path: string, known: readonly string[]): Issue {
  const nearest = nearestName(path, known)
  if (nearest) return { path, message: `is not a parameter of this endpoint; did you mean ${nearest}?` }
  const list = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes none'
  return { path, message: `is not a parameter of this endpoint; ${list}` }
}

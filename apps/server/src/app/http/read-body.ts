import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Route } from '../../access/route.ts'
import { type Issue, invalidInput } from '../../kernel/api-error.ts'
import { errorOfText, readJson } from '../../kernel/read-json.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

export type BodyConfig = { readonly bodyType: NonNullable<Route['intake']>['type'] }

declare module 'fastify' {
  interface FastifyRequest {
    rawBody: Uint8Array | undefined
  }
}

const noBytes = new Uint8Array()

/** Returns the unparsed bytes of the body, or empty bytes. */
export function rawBodyOf(request: FastifyRequest): Uint8Array {
  return request.rawBody ?? noBytes
}

export function refuseDeclaredSize(request: FastifyRequest, bodyLimit: number): void {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit)
    throw invalidInput({ path: '', message: `The body must not be larger than ${bodyLimit} bytes` })
}

/** Rejects compressed bodies, which the service would misread. */
export function refuseEncodedBody({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw invalidInput({ path: '', message: 'The body must be sent without Content-Encoding' })
}

/** Adds parsers for JSON, `text/csv` and bytes. Other content types are `invalid_input`. */
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
      const error = errorOfText(text)
      if (error) throw invalidInput({ path: '', message: error })
      return text
    },
  )
}

function bodyTypeOf(request: FastifyRequest): BodyConfig['bodyType'] {
  return (request.routeOptions.config as Partial<BodyConfig>).bodyType
}

/** Drops a byte order mark, which editors and spreadsheets write. */
function readText(body: Buffer): string {
  if (!isUtf8(body)) throw invalidInput({ path: '', message: 'The body is not valid UTF-8' })
  const text = body.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Decodes UTF-8, or UTF-16 with a byte order mark (Excel's "Unicode text"). */
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
 * Returns the query. Unknown and repeated parameters are rejected.
 *
 * A misspelled name would otherwise filter nothing, and two parsers could read different values of a repeated
 * one.
 *
 * @throws {ApiError} `invalid_input` with the most similar known name.
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

/** Rejects NUL, which PostgreSQL does not accept. */
export function wellFormed(values: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(values)) {
    const error = errorOfText(value)
    if (error) throw invalidInput({ path: name, message: error })
  }
  return values
}

function namesOf(schema: TSchema | undefined): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}

function unknown(path: string, known: readonly string[]): Issue {
  const nearest = nearestName(path, known)
  if (nearest) return { path, message: `is not a parameter of this endpoint; did you mean ${nearest}?` }
  const list = known.length > 0 ? `its parameters are ${known.join(', ')}` : 'it has no parameters'
  return { path, message: `is not a parameter of this endpoint; ${list}` }
}

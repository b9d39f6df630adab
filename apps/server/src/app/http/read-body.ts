import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from '../../access/route.ts'
import { faultOfText, readJson } from '../../kernel/read-json.ts'
import { invalidInput } from '../../kernel/refusal.ts'

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

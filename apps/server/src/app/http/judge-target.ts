import type { FastifyRequest } from 'fastify'
import { invalidInput } from '../../kernel/refusal.ts'

const absolute = /^https?:\/\/([^/?#]*)(.*)$/i

/**
 * The path and query of a request's target, also where it was sent with scheme and host before them. Under /api, a slash
 * at the end of the path says nothing.
 */
export function originForm(target: string): string {
  const rest = absolute.exec(target)?.[2] ?? target
  const path = rest.split('?', 1)[0] ?? ''
  if (path.startsWith('/api/') && path.endsWith('/')) return path.slice(0, -1) + rest.slice(path.length)
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`
}

/**
 * Refuses what two readers could take for requests to two places: no `Host`, two of them, or another one in the
 * target.
 *
 * @throws {Refusal} `invalid_input`
 */
export function refuseTwoPlaces({ raw, originalUrl, headers: { host } }: FastifyRequest): void {
  if (host === undefined && raw.httpVersion === '1.1') throw refused('The Host header is missing')
  let hostCount = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2)
    if (raw.rawHeaders[i]?.toLowerCase() === 'host') hostCount++
  if (hostCount > 1) throw refused('The Host header was sent more than once')
  const inTarget = absolute.exec(originalUrl)?.[1]
  if (inTarget !== undefined && inTarget.toLowerCase() !== host?.toLowerCase())
    throw refused('The request target names a different host than the Host header')
}

function refused(message: string) {
  return invalidInput({ path: '', message })
}

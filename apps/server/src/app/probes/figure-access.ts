import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Who may read figures. */
export type FigureAccess = { readonly metricsToken: string | undefined; readonly isProduction: boolean }

/** Nothing is configured: whoever is on this machine. */
export const openHere: FigureAccess = { metricsToken: undefined, isProduction: false }

/** Whether a request comes from who may read the figures. */
export function mayReadFigures(request: FastifyRequest, access: FigureAccess): boolean {
  return access.metricsToken === undefined
    ? !access.isProduction && isFromHere(request)
    : hasToken(request, access.metricsToken)
}

/** Straight from this machine, through no proxy. */
function isFromHere({ ip, headers }: FastifyRequest): boolean {
  if ('x-forwarded-for' in headers || 'forwarded' in headers) return false
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.')
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

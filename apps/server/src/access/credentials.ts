import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { csrfHeaderName, hostCookieName, sessionCookieName } from '@sluice/protocol/api/auth.ts'
import { ApiError } from '../kernel/api-error.ts'

/** Credentials of a request, unverified unless a field says otherwise. */
export type Credentials = {
  readonly subscriptionKey: string | undefined
  readonly apiKey: string | undefined
  readonly token: string | undefined
  readonly csrfToken: string | undefined
  readonly origin: string | undefined
  /** Whether a wallet header was sent. The header proves nothing. */
  readonly saysWallet: boolean
  /** Whether the request carries the edge secret. */
  readonly isFromEdge: boolean
  /** Subscription named by the external gateway, if the request carries both secrets. */
  readonly stampedSubscriptionId: string | undefined
  /** Client address from the edge, or else the socket address. */
  readonly address: string
}

/**
 * Returns the credentials of a request and deletes them from `headers`.
 *
 * Handlers and logs therefore never see them.
 *
 * See docs/contract.md#gateway.
 *
 * @throws {ApiError} `forbidden` if the edge or gateway secret is wrong.
 */
export function takeCredentials(
  headers: IncomingHttpHeaders,
  edge: Edge,
  socketAddress: string,
): Credentials {
  const evaluated = validateSecret(edge.edgeSecret, headers['x-edge-secret'])
  if (evaluated === 'wrong') throw new ApiError('forbidden', 'The edge secret is wrong')
  if (validateSecret(edge.gatewaySecret, headers['x-gateway-secret']) === 'wrong')
    throw new ApiError('forbidden', 'The gateway secret is wrong')
  const isFromEdge = evaluated === 'right'
  const address = clientAddress(headers, isFromEdge, edge, socketAddress)
  const credentials = readCredentials(headers, edge, { isFromEdge, address })
  for (const name of taken) delete headers[name]
  return credentials
}

/** Returns the credentials without deleting their headers. Does not check the edge secret. */
export function readCredentials(
  headers: IncomingHttpHeaders,
  edge: Pick<Edge, 'gatewaySecret' | 'isProduction'>,
  { isFromEdge, address }: { isFromEdge: boolean; address: string },
): Credentials {
  const isFromGateway =
    isFromEdge && validateSecret(edge.gatewaySecret, headers['x-gateway-secret']) === 'right'
  return {
    subscriptionKey: single(headers['ocp-apim-subscription-key']),
    apiKey: single(headers['x-api-key']),
    token: tokenIn(headers, edge),
    csrfToken: single(headers[csrfHeaderName]),
    origin: headers.origin,
    saysWallet: 'x-wallet' in headers || 'wallet' in headers,
    isFromEdge,
    stampedSubscriptionId: isFromGateway ? single(headers['x-subscription-id']) : undefined,
    address,
  }
}

const taken = [
  'x-wallet',
  'wallet',
  'x-subscription-id',
  'x-edge-secret',
  'x-gateway-secret',
  'ocp-apim-subscription-key',
  'x-api-key',
  'cookie',
  csrfHeaderName,
] as const

/**
 * Returns the session token.
 *
 * In production, another host in the domain could set a cookie without the `__Host-` prefix. Only programs,
 * which send no `sec-fetch-site`, may use such a cookie.
 */
function tokenIn(
  { cookie, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { isProduction }: Pick<Edge, 'isProduction'>,
): string | undefined {
  if (cookie === undefined) return undefined
  const own = isProduction ? cookieIn(cookie, hostCookieName) : undefined
  if (own !== undefined || (isProduction && site !== undefined)) return own
  return cookieIn(cookie, sessionCookieName)
}

export function cookieIn(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined
  }
  return undefined
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}

/**
 * Error for a credential that may have been guessed or forged. The guard counts it against the client
 * address.
 */
export class BadCredential extends ApiError {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

export type Edge = {
  /** Without this secret, the forwarded addresses of a request are ignored. */
  readonly edgeSecret: string | undefined
  /** Without this secret, the gateway's subscription header is ignored. */
  readonly gatewaySecret: string | undefined
  readonly isProduction: boolean
  /** Number of trusted proxies, each of which appends an address to `X-Forwarded-For`. */
  readonly trustedHops: number
}

/** Compares a header with a secret in constant time. */
export function validateSecret(
  secret: string | undefined,
  sent: string | string[] | undefined,
): 'none' | 'right' | 'wrong' {
  if (secret === undefined || sent === undefined) return 'none'
  return timingSafeEqual(digest(String(sent)), digest(secret)) ? 'right' : 'wrong'
}

/**
 * Returns the socket address or, through the edge, the address seen by the outermost trusted proxy.
 *
 * Counts from the right, because clients can forge entries on the left.
 */
export function clientAddress(
  headers: IncomingHttpHeaders,
  isFromEdge: boolean,
  { trustedHops }: Pick<Edge, 'trustedHops'>,
  socketAddress: string,
): string {
  if (!isFromEdge || trustedHops < 1) return socketAddress
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  return readAddress(forwarded.at(-trustedHops) ?? '') ?? socketAddress
}

/** Also accepts an address with a port, which some proxies add. */
function readAddress(text: string): string | undefined {
  const plain = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(plain)?.[1] ?? /^([\d.]+):\d+$/.exec(plain)?.[1] ?? plain
  return isIP(bare) ? bare : undefined
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

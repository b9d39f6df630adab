import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { csrfHeaderName, hostCookieName, sessionCookieName } from '@sluice/protocol/api/auth.ts'
import { Refusal } from '../kernel/refusal.ts'

/** What a request says of who sent it; nothing of it is proved yet. */
export type Credentials = {
  readonly subscriptionKey: string | undefined
  readonly apiKey: string | undefined
  /** The session's token from its cookie. */
  readonly token: string | undefined
  readonly csrfToken: string | undefined
  readonly origin: string | undefined
  /** A wallet header was sent, which proves nothing and is not to be relied upon. */
  readonly saysWallet: boolean
  /** It came through our own edge, which knows the edge secret. */
  readonly isFromEdge: boolean
  /** What the outside gateway says, if it proved by both secrets that it is the gateway. */
  readonly stampedSubscriptionId: string | undefined
  /** Where it came from: what the edge says, else the connection's own address. */
  readonly address: string
}

/**
 * Takes the credentials off a request: what clients must not say, and what handlers must not see or log,
 * is removed from `headers`.
 *
 * @throws {Refusal} `forbidden` for a wrong secret of the edge or of the gateway.
 */
export function takeCredentials(
  headers: IncomingHttpHeaders,
  edge: Edge,
  socketAddress: string,
): Credentials {
  const judged = judgeSecret(edge.edgeSecret, headers['x-edge-secret'])
  if (judged === 'wrong') throw new Refusal('forbidden', 'The edge secret is wrong')
  if (judgeSecret(edge.gatewaySecret, headers['x-gateway-secret']) === 'wrong')
    throw new Refusal('forbidden', 'The gateway secret is wrong')
  const isFromEdge = judged === 'right'
  const address = clientAddress(headers, isFromEdge, edge, socketAddress)
  const credentials = readCredentials(headers, edge, { isFromEdge, address })
  for (const name of taken) delete headers[name]
  return credentials
}

/** What the headers say of who sent them, which stays in them. */
export function readCredentials(
  headers: IncomingHttpHeaders,
  edge: Pick<Edge, 'gatewaySecret' | 'isProduction'>,
  { isFromEdge, address }: { isFromEdge: boolean; address: string },
): Credentials {
  const isFromGateway = isFromEdge && judgeSecret(edge.gatewaySecret, headers['x-gateway-secret']) === 'right'
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
 * The session's token. In production, another host of the domain could set the plain cookie in a browser, which says with
 * `sec-fetch-site` that it is one: only programs may send that one.
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

/** The first cookie of a name in a Cookie header. */
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

/** A credential that somebody may have guessed or forged: counted against the address it came from. */
export class BadCredential extends Refusal {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

/** What the service knows of the proxies before it. */
export type Edge = {
  /** What our own edge sends; without it nobody's word on addresses is taken. */
  readonly edgeSecret: string | undefined
  /** Secret of the outside gateway, which says whose request it is; without it no stamp counts. */
  readonly gatewaySecret: string | undefined
  /** Visitors come by TLS, and may come from hosts whose neighbours are not ours. */
  readonly isProduction: boolean
  /** How many proxies of ours a request passes, each of which adds the address it came from. */
  readonly trustedHops: number
}

/** Compares a header with a secret: it has nothing, the secret, or something else. */
export function judgeSecret(
  secret: string | undefined,
  sent: string | string[] | undefined,
): 'none' | 'right' | 'wrong' {
  if (secret === undefined || sent === undefined) return 'none'
  return timingSafeEqual(digest(String(sent)), digest(secret)) ? 'right' : 'wrong'
}

/**
 * Where a request came from: the connection's own address or, through our edge, what the outermost of our own
 * proxies saw. Counted from the right, since anybody can write what stands to the left of it.
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

/** Some proxies write the port too. */
function readAddress(text: string): string | undefined {
  const plain = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(plain)?.[1] ?? /^([\d.]+):\d+$/.exec(plain)?.[1] ?? plain
  return isIP(bare) ? bare : undefined
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

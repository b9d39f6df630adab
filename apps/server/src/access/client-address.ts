import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

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

import ipaddr from 'ipaddr.js'

/** What a process may connect to. */
export type TargetRules = {
  /** `public`: only addresses of the public internet, however they are spelled or looked up. */
  readonly targets: 'public' | 'any'
  readonly allowHttp: boolean
}

/** Why a URL is refused before anything is sent. */
export type TargetFault = 'not-a-url' | 'not-https' | 'has-credentials' | 'not-public'

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * The URL in `text`, or why nobody may be sent there.
 *
 * The URL standard has by then made dotted quads of decimal, octal, hexadecimal and short
 * spellings, so that one check of the host suffices. A name that passes may still lead to a
 * private address: the socket's own lookup judges that.
 */
export function judgeTarget(text: string, rules: TargetRules): URL | TargetFault {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url?.hostname) return 'not-a-url'
  if (url.protocol !== 'https:' && !(rules.allowHttp && url.protocol === 'http:')) return 'not-https'
  if (url.username || url.password) return 'has-credentials'
  if (rules.targets === 'public' && !isPublicHost(url.hostname)) return 'not-public'
  return url
}

/**
 * Whether an address text, IPv4 or IPv6, is one of the public internet.
 *
 * Of IPv6 only global unicast counts, less what is set aside in it: addresses that carry an
 * IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo) are all refused.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalIpv6)
}

function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(name)) return isPublicAddress(name)
  const plain = name.replace(/\.+$/, '')
  return plain.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(plain)
}

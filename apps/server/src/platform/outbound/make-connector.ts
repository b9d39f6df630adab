import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
// biome-ignore lint/style/noRestrictedImports: this is the outbound client
import { buildConnector } from 'undici'

const connectTimeoutMs = 5_000

export class RefusedAddress extends Error {}

export type Resolve = (hostname: string) => Promise<readonly string[]>

export type ConnectorOptions = TargetRules & {
  /** For tests. The default asks DNS (`public`) or the operating system (`any`). */
  readonly resolve?: Resolve
}

export function makeConnector(options: ConnectorOptions): buildConnector.connector {
  return buildConnector({
    lookup: makeLookup(options),
    timeout: connectTimeoutMs,
    allowH2: false,
    keepAlive: false,
  })
}

function makeLookup(options: ConnectorOptions): LookupFunction | undefined {
  const resolve = options.resolve ?? (options.targets === 'public' ? askDns : undefined)
  if (!resolve) return undefined
  return (hostname, { all, family }, callback) => {
    const found = resolve(hostname).then((addresses) => {
      const refused = options.targets === 'public' && addresses.find((address) => !isPublicAddress(address))
      if (refused) throw new RefusedAddress(`${hostname} resolves to ${refused}`)
      const entries = addresses
        .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        .filter((entry) => (family === 4 || family === 6 ? entry.family === family : true))
      if (!entries[0]) throw new Error(`${hostname} has no address`)
      return { entries, first: entries[0] }
    })
    found.then(
      ({ entries, first }) => (all ? callback(null, entries) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    )
  }
}

/**
 * Queries DNS directly: with a slow name server, the operating system's lookup would block one of few
 * threads.
 */
async function askDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const responses = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : []))
  if (addresses.length === 0 && responses[0].status === 'rejected') throw responses[0].reason
  return addresses
}

export type TargetRules = {
  /** `public`: only addresses of the public internet, in any notation and from any lookup. */
  readonly targets: 'public' | 'any'
  readonly allowHttp: boolean
}

export type TargetError = 'not-a-url' | 'not-https' | 'has-credentials' | 'not-public'

const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns the URL in `text`, or the reason for refusing it.
 *
 * The URL parser has normalized decimal, octal, hexadecimal and short IPv4 addresses, so one check suffices.
 * A valid name may still resolve to a private address: the socket's own lookup checks that.
 */
export function validateTarget(text: string, rules: TargetRules): URL | TargetError {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url?.hostname) return 'not-a-url'
  if (url.protocol !== 'https:' && !(rules.allowHttp && url.protocol === 'http:')) return 'not-https'
  if (url.username || url.password) return 'has-credentials'
  if (rules.targets === 'public' && !isPublicHost(url.hostname)) return 'not-public'
  return url
}

/**
 * Returns whether an IPv4 or IPv6 address belongs to the public internet.
 *
 * For IPv6, only global unicast addresses outside its reserved ranges count. Addresses that embed an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo) are refused.
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

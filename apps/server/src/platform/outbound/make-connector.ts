import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isPublicAddress, type TargetRules } from './target.ts'

const connectTimeoutMs = 5_000

/** An address that this process may not connect to. */
export class RefusedAddress extends Error {}

/** The addresses of a name; rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Where sockets may lead, and who says where names do. */
export type ConnectorOptions = TargetRules & {
  /** For tests: the default asks DNS (`public`) or the operating system (`any`). */
  readonly resolve?: Resolve
}

/** Opens sockets to where the rules allow; an attempt to connect has a limit of its own. */
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

/** Asks DNS itself: the operating system's lookup would hold one of its few threads for a hanging name server. */
async function askDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
  return addresses
}

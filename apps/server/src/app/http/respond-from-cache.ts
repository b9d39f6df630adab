import type { Caller } from '../../access/caller.ts'
import type { Route, RouteInput, RouteOutput } from '../../access/route.ts'
import { degradedMark, isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { ResponseCache } from '../../platform/response-cache.ts'

/** Paths of reads that return a cached response during a database outage. */
const cachedPaths: ReadonlySet<string> = new Set([
  '/api/receipts',
  '/api/receipts/summary',
  '/api/inventory',
  '/api/shop/config',
  '/api/site/config',
])

type Input = RouteInput<never, never, never>

export type MemoryNeeds = {
  readonly responses: ResponseCache
  /** Returns the configured brand domain of a host, or an empty string. */
  brandHost(host: string | undefined): string
}

/**
 * Wraps cacheable reads: during a database outage they return the caller's last response, marked `degraded`.
 *
 * Without a cached response they return the error, never an empty list.
 *
 * See docs/contract.md#degraded-mode.
 */
export function respondFromCache(needs: MemoryNeeds, routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    if (route.method !== 'GET' || !cachedPaths.has(route.path)) return route
    return { ...route, handle: (input) => respondOrCache(needs, route, input) }
  })
}

async function respondOrCache(needs: MemoryNeeds, route: Route, input: Input): Promise<RouteOutput> {
  const { responses } = needs
  const [owner, key] = [ownerOf(input), keyOf(needs, route, input)]
  try {
    const output = await route.handle(input)
    const { status, body, ...others } = output
    if (status !== 200 || !isObject(body)) return output
    // Serialized once, because the cached text is also sent.
    const response = JSON.stringify(body)
    responses.memoize(owner, key, response)
    return { ...others, status, body: response, headers: { ...output.headers, 'content-type': jsonType } }
  } catch (error) {
    const known = isDatastoreOutage(error) ? responses.find(owner, key) : undefined
    if (known === undefined) throw error
    return { status: 200, body: { ...(JSON.parse(known) as object), ...degradedMark } }
  }
}

const jsonType = 'application/json; charset=utf-8'

/** Returns the merchant whose share of the cache holds the response, even for public reads. */
function ownerOf({ caller, query, merchantWallet }: Input): string {
  const { merchant } = caller as { merchant?: string }
  if (merchant !== undefined) return merchant
  const { slug } = (query ?? {}) as { slug?: string }
  return JSON.stringify([caller.kind, merchantWallet?.toLowerCase(), slug?.toLowerCase()])
}

/** Includes all inputs that the response depends on, and no other input. */
function keyOf({ brandHost }: MemoryNeeds, route: Route, input: Input): string {
  const { caller, query, merchantWallet, headers } = input
  const declared = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {})
  const sent = (query ?? {}) as Record<string, string>
  const asked = declared.map((name) => sent[name] ?? null)
  const shop = caller.kind === 'nobody' ? merchantWallet?.toLowerCase() : undefined
  return JSON.stringify([route.path, whoIs(caller), shop, brandHost(headers.host), asked])
}

function whoIs(caller: Caller): unknown[] {
  if (caller.kind === 'subscription') return [caller.kind, caller.merchant, caller.scopes]
  if (caller.kind === 'session') return [caller.kind, caller.merchant, caller.role]
  return [caller.kind]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

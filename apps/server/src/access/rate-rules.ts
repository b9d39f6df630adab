import ipaddr from 'ipaddr.js'

/**
 * Requests per minute, by limit. A burst can use them all at once. For logins and authentications, only
 * failures count.
 *
 * See docs/contract.md#rate-limits.
 */
export const limitPerMinute = {
  reads: 300,
  writes: 100,
  inventoryWrites: 60,
  configWrites: 10,
  logins: 20,
  failedAuthentications: 20,
  telemetry: 30,
  attempts: 10,
  attemptsPerAddress: 60,
  pages: 120,
  openPages: 1_200,
  documents: 20,
  claims: 20,
  images: 600,
  storeOrders: 10,
  probes: 120,
} as const

/**
 * Address-wide limit to check before a limit per named item.
 *
 * Without it, a client could name many items and get a separate count for each.
 */
export const addressWide: Partial<Record<LimitName, LimitName>> = { attempts: 'attemptsPerAddress' }

/**
 * Returns the rate limit subject of an address: the IPv4 address, or the /64 of an IPv6 address.
 *
 * A /64 is the smallest block that a customer gets.
 */
export function limitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Name of a rate limit. `docs/reference/limits.md` lists all of them. */
export type LimitName = keyof typeof limitPerMinute

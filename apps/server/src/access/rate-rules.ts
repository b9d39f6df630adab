import ipaddr from 'ipaddr.js'

/**
 * How many requests a minute each kind may come to (decisions: Access, Rate limits). A burst may use them
 * all at once; they come back evenly. Of logins and authentications only those count that fail.
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
 * The limit that counts an address as a whole, before one that counts it for each thing it names: without it
 * whoever names a thousand things would be counted a thousand times apart.
 */
export const addressWide: Partial<Record<LimitName, LimitName>> = { attempts: 'attemptsPerAddress' }

/**
 * Whom a request without an identity is counted for: its IPv4 address, or the /64 of its IPv6 address, which
 * is the least that one customer of a network is given.
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

/** The name of a limit. */
export type LimitName = keyof typeof limitPerMinute

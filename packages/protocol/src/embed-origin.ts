const hostname = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ownMachine = new Set(['localhost', '127.0.0.1'])

/**
 * Parses an origin such as `https://shop.example`, with an optional port. Allows http for localhost only.
 * Returns `undefined` for other text, including wildcards, so that a policy names exactly one origin.
 */
export function parseEmbedOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || url.username || url.password || url.search || url.hash || url.pathname !== '/') return undefined
  if (text.endsWith('?') || text.endsWith('#')) return undefined
  if (url.hostname.length > 253 || !hostname.test(url.hostname)) return undefined
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && ownMachine.has(url.hostname))
  return isAllowed ? url.origin : undefined
}

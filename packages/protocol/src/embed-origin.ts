const hostname = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ownMachine = new Set(['localhost', '127.0.0.1'])

/**
 * The origin in a text, as browsers write it: `https://shop.example`, with a port where it has one. http only for this
 * machine. `undefined` for everything else, wildcards among it, so that what is returned can stand in a policy and name
 * no origin but one.
 */
export function parseEmbedOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || url.username || url.password || url.search || url.hash || url.pathname !== '/') return undefined
  if (text.endsWith('?') || text.endsWith('#')) return undefined
  if (url.hostname.length > 253 || !hostname.test(url.hostname)) return undefined
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && ownMachine.has(url.hostname))
  return isAllowed ? url.origin : undefined
}

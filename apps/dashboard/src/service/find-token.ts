import type { WebApp } from './use-web-app.ts'

/** A token that the service takes. */
export type KnownToken = WebApp['chain']['tokens'][number]

const native = '0x0000000000000000000000000000000000000000'

/** A token by its symbol or its contract; the zero address is the chain's own coin. */
export function findToken(webApp: WebApp | undefined, named: string | null): KnownToken | undefined {
  const wanted = named?.toLowerCase()
  return webApp?.chain.tokens.find(
    ({ symbol, address }) => symbol === named || (address ?? native).toLowerCase() === wanted,
  )
}

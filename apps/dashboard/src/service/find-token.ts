import type { WebApp } from './use-web-app.ts'

export type KnownToken = WebApp['chain']['tokens'][number]

const native = '0x0000000000000000000000000000000000000000'

/** Finds a token by its symbol or contract. The zero address means the native coin. */
export function findToken(webApp: WebApp | undefined, named: string | null): KnownToken | undefined {
  const wanted = named?.toLowerCase()
  return webApp?.chain.tokens.find(
    ({ symbol, address }) => symbol === named || (address ?? native).toLowerCase() === wanted,
  )
}

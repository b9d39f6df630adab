import type { WebApp } from './use-web-app.ts'

/** Returns the block explorer's URL, or `undefined` if the chain has no explorer. */
export function explorerUrl(
  webApp: WebApp | undefined,
  kind: 'tx' | 'address',
  value: string,
): string | undefined {
  const base = webApp?.chain.explorerUrl
  return base ? `${base}/${kind}/${value}` : undefined
}

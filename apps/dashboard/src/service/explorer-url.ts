import type { WebApp } from './use-web-app.ts'

/** Returns the page of the block explorer, or `undefined` if the chain has none. */
export function explorerUrl(
  webApp: WebApp | undefined,
  kind: 'tx' | 'address',
  value: string,
): string | undefined {
  const base = webApp?.chain.explorerUrl
  return base ? `${base}/${kind}/${value}` : undefined
}

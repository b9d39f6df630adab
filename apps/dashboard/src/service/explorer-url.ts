import type { WebApp } from './use-web-app.ts'

/** Where a transaction or an address can be looked at; `undefined` on a chain that nobody shows. */
export function explorerUrl(
  webApp: WebApp | undefined,
  kind: 'tx' | 'address',
  value: string,
): string | undefined {
  const base = webApp?.chain.explorerUrl
  return base ? `${base}/${kind}/${value}` : undefined
}

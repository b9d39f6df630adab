import { html, type SafeHtml } from '@remix-run/html-template'

/** Where the explorer of a chain shows a transaction or an address; `undefined` where the chain has none. */
export function explorerUrl(
  chain: { readonly explorerUrl: string | null },
  kind: 'tx' | 'address',
  of: string,
): string | undefined {
  return chain.explorerUrl === null ? undefined : `${chain.explorerUrl}/${kind}/${encodeURIComponent(of)}`
}

/** A link to another site, which learns nothing of where it was followed from. */
export function outsideLink(url: string, content: SafeHtml | string): SafeHtml {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${content}</a>`
}

/** An address where there is no room for it: its beginning and its end, in full for screen readers. */
export function shortAddress(address: string): SafeHtml {
  return html`<span class="mono" aria-hidden="true">${address.slice(0, 6)}…${address.slice(-4)}</span><span class="hidden">${address}</span>`
}

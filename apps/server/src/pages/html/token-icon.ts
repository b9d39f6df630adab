import { html, type SafeHtml } from '@remix-run/html-template'

/** What is drawn of a token on a disc: our own drawings, each a colour and a path on a square of 24. */
const drawings: Readonly<Record<string, { readonly colour: string; readonly path: string }>> = {
  USDC: {
    colour: '#2563c9',
    path: 'M12 5.5v13M15.5 9c-.6-1-1.9-1.6-3.5-1.6-2 0-3.4.9-3.4 2.3 0 3.3 7 1.3 7 4.6 0 1.4-1.5 2.3-3.6 2.3-1.7 0-3-.6-3.6-1.7',
  },
  USDT: { colour: '#11806a', path: 'M7 7.5h10M12 7.5v10M7 11.2c0 2.2 10 2.2 10 0' },
  ETH: { colour: '#4a5599', path: 'M12 4.5l4.7 7.6L12 14.9l-4.7-2.8zM7.6 14.6L12 19.5l4.4-4.9' },
  cbBTC: {
    colour: '#b45309',
    path: 'M9 6.5v11M9 6.5h4.2a2.7 2.7 0 0 1 0 5.4H9M9 11.9h4.8a2.8 2.8 0 0 1 0 5.6H9M11 4.5v2M11 17.5v2',
  },
  cbXRP: { colour: '#33414d', path: 'M6.5 6.5l3 3a3.5 3.5 0 0 0 5 0l3-3M6.5 17.5l3-3a3.5 3.5 0 0 1 5 0l3 3' },
}

/** The picture of a token; decorative, since its symbol stands beside it. One that is not drawn gets its first letter. */
export function tokenIcon(symbol: string): SafeHtml {
  const drawing = drawings[symbol]
  const sign = drawing
    ? html`<path d="${drawing.path}"/>`
    : html`<text x="12" y="16.5" text-anchor="middle" font-size="12">${symbol.slice(0, 1)}</text>`
  return html`<svg class="token" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="12" fill="${drawing?.colour ?? '#52636d'}"/>${sign}</svg>`
}

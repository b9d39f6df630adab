import { html, type SafeHtml } from '@remix-run/html-template'

/** On a phone: hand the payment to a wallet app, or open this page in the app's own browser. */
export function appLinks(eip681: string, pageUrl: string): SafeHtml {
  const bare = pageUrl.replace(/^https?:\/\//, '')
  const encoded = encodeURIComponent(pageUrl)
  return html`<section class="apps"><h3>On this phone</h3>
<a class="button" href="${eip681}">Open in wallet app</a>
<p>or open this page in <a class="app" href="https://metamask.app.link/dapp/${bare}" rel="noopener noreferrer">MetaMask</a> <a class="app" href="https://go.cb-w.com/dapp?cb_url=${encoded}" rel="noopener noreferrer">Coinbase Wallet</a> <a class="app" href="https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}" rel="noopener noreferrer">Trust Wallet</a></p>
</section>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import type { Translator } from '../messages/translator.ts'

/** On a phone: open this page in the browser of a wallet app, where the wallet itself pays. */
export function appLinks(t: Translator, pageUrl: string): SafeHtml {
  const bare = pageUrl.replace(/^https?:\/\//, '')
  const encoded = encodeURIComponent(pageUrl)
  return html`<section class="apps"><h3>${t.text('checkout.apps.or-in')}</h3>
<ul><li><a class="app" href="https://metamask.app.link/dapp/${bare}" rel="noopener noreferrer">MetaMask</a></li><li><a class="app" href="https://go.cb-w.com/dapp?cb_url=${encoded}" rel="noopener noreferrer">Coinbase Wallet</a></li><li><a class="app" href="https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}" rel="noopener noreferrer">Trust Wallet</a></li></ul>
</section>`
}

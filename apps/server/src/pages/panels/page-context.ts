import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Locale } from '../messages/locales.ts'
import type { Translator } from '../messages/translator.ts'
import type { CheckoutRequest } from './load-checkout.ts'

/** What a page knows beside the receipt. */
export type PageContext = {
  readonly now: UnixMs
  /** The words of the buyer's language. */
  readonly t: Translator
  /** This checkout's public address, as it was asked for. */
  readonly pageUrl: string
  /** The path of this checkout with another token chosen. */
  linkTo(token: string): string
  /** The path of this checkout in another language. */
  languageLink(locale: Locale): string
  /** The path of the receipt's own page. */
  readonly receiptPath: string
  /** The path of the page on which a payment that reached no receipt is found and claimed. */
  claimPath(transactionHash?: string): string
  /** Where the page asks for live status, and where the merchant's script runs. */
  pathTo(part: 'status' | 'on-success'): string
  /** Where the form goes that leads to the page of the card provider. */
  readonly cardPath: string
  /** The service could not reach the card provider just now. */
  readonly isCardAway: boolean
  /** The page is shown in a frame of the merchant's. */
  readonly isEmbedded: boolean
  /** The path of the API's checkout: to open attempts, to hint at a transaction, to pay by a signature. */
  apiPathTo(part: 'attempts' | 'hint' | 'signature-request' | 'signatures'): string
  readonly isPhone: boolean
  readonly localRpcUrl: string | undefined
  /** The page brings a wallet with play money. */
  readonly hasDemoWallet: boolean
  /** The project that WalletConnect is asked for; absent: the page does not offer it. */
  readonly walletConnectProject: string | undefined
  /** http addresses on this machine may be returned to. */
  readonly isProduction: boolean
}

/** The context of one request. Addresses come from the configured base, never from the request's `Host`. */
export function pageContext(
  site: {
    readonly baseUrl: string
    readonly localRpcUrl: string | undefined
    readonly hasDemoWallet?: boolean
    readonly walletConnectProject?: string | undefined
    readonly isProduction: boolean
  },
  request: CheckoutRequest & {
    readonly now: UnixMs
    readonly t: Translator
    readonly userAgent: string | undefined
    readonly lang: string | undefined
    readonly isCardAway?: boolean
    readonly isEmbedded?: boolean
  },
): PageContext {
  const id = encodeURIComponent(request.id)
  const base = `/pay/${id}`
  const query = (token: string | undefined, lang = request.lang) => {
    const params = new URLSearchParams()
    if (request.recipient !== undefined) params.set('recipient', request.recipient)
    if (token !== undefined) params.set('token', token)
    if (lang !== undefined) params.set('lang', lang)
    return params.size > 0 ? `?${params}` : ''
  }
  return {
    now: request.now,
    t: request.t,
    pageUrl: site.baseUrl + base + query(request.token),
    linkTo: (token) => base + query(token),
    languageLink: (locale) => base + query(request.token, locale),
    receiptPath: `/receipt/${id}${query(undefined)}`,
    claimPath: (hash) => {
      const params = new URLSearchParams({
        ...(hash !== undefined && { hash }),
        ...(request.lang !== undefined && { lang: request.lang }),
      })
      return params.size > 0 ? `/claim?${params}` : '/claim'
    },
    pathTo: (part) => `${base}/${part}${query(undefined)}`,
    cardPath: `${base}/onramp${query(request.token)}`,
    isCardAway: request.isCardAway ?? false,
    isEmbedded: request.isEmbedded ?? false,
    apiPathTo: (part) => `/api/checkout/${id}/${part}${query(undefined)}`,
    isPhone: /Android|iPhone|iPad|iPod|Mobile/i.test(request.userAgent ?? ''),
    localRpcUrl: site.localRpcUrl,
    hasDemoWallet: site.hasDemoWallet ?? false,
    walletConnectProject: site.walletConnectProject,
    isProduction: site.isProduction,
  }
}

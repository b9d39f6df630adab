import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Locale } from '../messages/locales.ts'
import type { Translator } from '../messages/translator.ts'
import type { CheckoutRequest } from './load-checkout.ts'

export type PageContext = {
  readonly now: UnixMs
  readonly t: Translator
  readonly pageUrl: string
  linkTo(token: string): string
  languageLink(locale: Locale): string
  readonly receiptPath: string
  claimPath(transactionHash?: string): string
  pathTo(part: 'status' | 'on-success'): string
  readonly cardPath: string
  readonly isCardAway: boolean
  readonly isEmbedded: boolean
  apiPathTo(part: 'attempts' | 'hint' | 'signature-request' | 'signatures'): string
  readonly isPhone: boolean
  readonly localRpcUrl: string | undefined
  readonly hasDemoWallet: boolean
  readonly walletConnectProject: string | undefined
  /** If false, return URLs may use http on localhost. */
  readonly isProduction: boolean
}

/** Creates a request's context. URLs use the configured base, never the request's `Host`. */
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

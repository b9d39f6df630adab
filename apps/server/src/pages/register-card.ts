import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/api-error.ts'
import { Outage } from '../kernel/outage.ts'
import type { PageAssets } from './html/build-assets.ts'
import type { PageFrame } from './html/error-page.ts'
import { htmlDocument } from './html/html-document.ts'
import { type PageRequest, type PageResponse, type PageTools, pageHandler } from './html/page-handler.ts'
import { sign } from './html/parts.ts'
import { isSentByOwnPage, takeForms } from './html/read-form.ts'
import type { CheckoutAddress } from './panels/load-checkout.ts'

/**
 * Opens the receipt's session at the card provider, or finds the open session. Returns the URL of the
 * session's page.
 *
 * @throws {ApiError}
 * @throws {Outage}
 */
export type OpenCard = (request: CheckoutAddress & { readonly clientAddress: string }) => Promise<string>

type Needs = PageTools & {
  readonly openCard: OpenCard
  readonly site: { readonly baseUrl: string }
  readonly addressOf: (request: PageRequest) => string
  readonly readRequest: (request: PageRequest) => CheckoutAddress
}

export function registerCard(app: FastifyInstance, needs: Needs, assets: PageAssets): void {
  const { site } = needs
  const open = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    // A form from another site is not the buyer's decision: show the checkout without opening a session.
    if (!isSentByOwnPage(request, site.baseUrl)) return { redirect: checkoutPath(request) }
    let hostedUrl: string
    try {
      const clientAddress = needs.addressOf(request)
      hostedUrl = await needs.openCard({ ...needs.readRequest(request), clientAddress })
    } catch (error) {
      const isAway = error instanceof Outage && error.dependency !== 'datastore'
      if (isAway) return { redirect: checkoutPath(request, 'away') }
      // The receipt changed (paid, confirming, expired) or its amount is outside the limits: the checkout
      // shows the reason.
      if (error instanceof ApiError && error.code !== 'not_found' && error.code !== 'rate_limited')
        return { redirect: checkoutPath(request) }
      throw error
    }
    const { origin, pathname, search } = new URL(hostedUrl)
    if (origin === new URL(site.baseUrl).origin) return { redirect: pathname + search }
    const theme = await needs.themes.find(undefined, request.headers.host)
    return { html: leavePage(hostedUrl, { ...frame, theme }), headers: { refresh: `0; url=${hostedUrl}` } }
  }
  app.register(async (scope) => {
    takeForms(scope)
    scope.post('/pay/:id/onramp', { config: { limit: 'own' } }, pageHandler(needs, assets, open))
  })
}

function checkoutPath({ params, query }: PageRequest, onramp?: 'away'): string {
  const kept = ['recipient', 'token', 'lang'].flatMap((name) => {
    const value = query[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const search = new URLSearchParams(Object.fromEntries([...kept, ...(onramp ? [['onramp', onramp]] : [])]))
  return `/pay/${encodeURIComponent(params.id ?? '')}${search.size > 0 ? `?${search}` : ''}`
}

/** Renders a link to the other origin, because the policy's `form-action` blocks a redirect of the form. */
function leavePage(hostedUrl: string, frame: PageFrame) {
  const { t } = frame
  return htmlDocument({
    ...frame,
    locale: t.locale,
    title: t.text('checkout.leave.title'),
    body: html`<main class="alone" id="checkout"><section id="panel" data-panel="leave"><div class="stage"><header class="head wait"><span class="badge">${sign('card')}</span><h1>${t.text('checkout.leave.title')}</h1></header>
<p class="actions"><a class="button" href="${hostedUrl}" rel="noopener">${t.text('checkout.leave.go')}</a></p></div></section></main>`,
  })
}

import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { Outage } from '../kernel/outage.ts'
import { Refusal } from '../kernel/refusal.ts'
import { answerPage, type PageAnswer, type PageRequest, type PageTools } from './html/answer-page.ts'
import type { PageAssets } from './html/build-assets.ts'
import type { PageFrame } from './html/error-page.ts'
import { htmlDocument } from './html/html-document.ts'
import { sign } from './html/parts.ts'
import { isSentByOwnPage, takeForms } from './html/read-form.ts'
import type { CheckoutAddress } from './panels/load-checkout.ts'

/**
 * Opens the session of a receipt at the provider of cards, or gives the open one again; gives the address of the
 * provider's page. @throws {Refusal} @throws {Outage}
 */
export type OpenCard = (request: CheckoutAddress & { readonly clientAddress: string }) => Promise<string>

type Needs = PageTools & {
  readonly openCard: OpenCard
  readonly site: { readonly baseUrl: string }
  readonly addressOf: (request: PageRequest) => string
  readonly readRequest: (request: PageRequest) => CheckoutAddress
}

/** Registers where the form of the checkout goes that leads to the page of the card provider. */
export function registerCard(app: FastifyInstance, needs: Needs, assets: PageAssets): void {
  const { site } = needs
  const open = async (request: PageRequest, frame: PageFrame): Promise<PageAnswer> => {
    // A form of another site is no wish of the buyer's to pay: its visitor sees the checkout, and nothing is opened.
    if (!isSentByOwnPage(request, site.baseUrl)) return { redirect: checkoutPath(request) }
    let hostedUrl: string
    try {
      const clientAddress = needs.addressOf(request)
      hostedUrl = await needs.openCard({ ...needs.readRequest(request), clientAddress })
    } catch (error) {
      const isAway = error instanceof Outage && error.dependency !== 'datastore'
      if (isAway) return { redirect: checkoutPath(request, 'away') }
      // Paid meanwhile, confirming, expired, outside the limits: the checkout shows what it is.
      if (error instanceof Refusal && error.code !== 'not_found' && error.code !== 'rate_limited')
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
    scope.post('/pay/:id/onramp', { config: { limit: 'own' } }, answerPage(needs, assets, open))
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

/** Leads to another origin: browsers let no form of ours be answered from there. */
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

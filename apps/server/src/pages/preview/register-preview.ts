import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { type PageTools, pageHandler } from '../html/page-handler.ts'
import type { PageAllowances } from '../html/send-page.ts'
import type { Checkout } from '../panels/load-checkout.ts'
import { type PageContext, pageContext } from '../panels/page-context.ts'
import { cataloguePage } from '../store/catalogue-page.ts'
import { sampleCheckout } from './sample-checkout.ts'
import { readShopForm, sampleShop } from './sample-shop.ts'

export type PreviewNeeds = PageTools & {
  readonly clock: Clock
  readonly site: { readonly baseUrl: string; readonly isProduction: boolean }
  readonly checkoutPage: (checkout: Checkout, context: PageContext, frame: PageFrame) => SafeHtml
}

/** Only the web app frames previews. Images of an unpublished look load from their original URLs. */
const allow: PageAllowances = { framedBy: ["'self'"], hasRemotePictures: true }

/**
 * Registers previews of the checkout and storefront with sample data.
 *
 * `?merchant=` selects the initial published look, which is public. The embedding page sends the draft look
 * in a message.
 *
 * Reads no receipt, and accepts no payment or order.
 */
export function registerPreview(app: FastifyInstance, needs: PreviewNeeds, assets: PageAssets): void {
  const { preview } = assets.scripts
  const own = { ...assets, scripts: { ...assets.scripts, checkout: preview, store: preview } }
  const show = pageHandler(needs, own, async (request, frame) => {
    const { merchant } = request.query
    const theme = await needs.themes.find(typeof merchant === 'string' ? merchant : undefined)
    const now = needs.clock.now()
    const siteUrl = needs.site.baseUrl
    const dressed = { ...frame, theme, hasEveryFont: true }
    if (request.params.page === 'checkout') {
      const checkout = sampleCheckout({ t: frame.t, now, siteUrl }, theme.brandName)
      const userAgent = request.query.device === 'phone' ? 'Mobile' : undefined
      const site = { ...needs.site, localRpcUrl: undefined }
      const asked = {
        id: 'preview',
        recipient: undefined,
        host: undefined,
        token: undefined,
        keepsQuote: true,
      }
      const context = pageContext(site, { ...asked, now, t: frame.t, userAgent, lang: undefined })
      return { html: needs.checkoutPage(checkout, context, dressed), allow }
    }
    if (request.params.page === 'shop') {
      const shop = sampleShop(dressed, { theme, now, siteUrl }, readShopForm(request.query))
      return { html: cataloguePage(shop.context, shop.catalogue), allow }
    }
    throw new ApiError('not_found', 'Preview not found')
  })
  app.get('/preview/:page', { config: { limit: 'own' } }, show)
}

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { checkoutPage } from './checkout-page.ts'
import { type ClaimPageNeeds, registerClaim } from './claim/register-claim.ts'
import { sendQrOr } from './embed/send-qr.ts'
import { type EmbedNeeds, validateEmbedding } from './embed/validate-embedding.ts'
import { registerGuides } from './guides/register-guides.ts'
import { buildAssets, type PageAssets } from './html/build-assets.ts'
import { type PageRequest, type PageTools, pageHandler } from './html/page-handler.ts'
import { imageHeaders, type PageAllowances, sendAsset, sendCompressed } from './html/send-page.ts'
import { type ImageNeeds, registerImages } from './images/register-images.ts'
import { liveStatus } from './live/island-offer.ts'
import type { Locale } from './messages/locales.ts'
import { translator } from './messages/translator.ts'
import { type FindOnSuccess, registerOnSuccess } from './on-success-page.ts'
import {
  type Checkout,
  type CheckoutAddress,
  type CheckoutRequest,
  type FindCheckout,
  loadCheckout,
  type OpenAttempt,
} from './panels/load-checkout.ts'
import { type PageContext, pageContext } from './panels/page-context.ts'
import { evaluatePanel, isClosed } from './panels/panel.ts'
import { walletSteps } from './panels/wallet-steps.ts'
import { registerPreview } from './preview/register-preview.ts'
import { registerLlms } from './programs/llms-text.ts'
import { allowPrograms, type ProgramNeeds, respondToProgramOr } from './programs/respond-to-program.ts'
import { type ReceiptPageNeeds, registerReceipt } from './receipt/register-receipt.ts'
import { type OpenCard, registerCard } from './register-card.ts'
import { registerSandbox, type SandboxPages } from './sandbox/register-sandbox.ts'
import { registerSite } from './site/register-site.ts'
import { registerStore } from './store/register-store.ts'
import type { Stores } from './store/stores.ts'

export type PageNeeds = PageTools &
  ImageNeeds &
  EmbedNeeds & {
    readonly receipts: ReceiptPageNeeds['receipts']
    readonly claims: ClaimPageNeeds['claims']
    readonly checkouts: {
      readonly find: FindCheckout
      readonly openAttempt: OpenAttempt
      readonly findOnSuccess: FindOnSuccess
      readonly openCard?: OpenCard | undefined
      /**
       * Returns the shortest URL of a checkout.
       * @throws {ApiError} `not_found`
       */
      readonly findPayUrl: (request: CheckoutAddress) => Promise<string>
    }
    readonly site: {
      readonly baseUrl: string
      /** RPC endpoint for wallets that do not know the chain. Only the local chain needs it. */
      readonly localRpcUrl: string | undefined
      readonly hasDemoWallet?: boolean
      /** WalletConnect project id. Without it, the checkout does not offer WalletConnect. */
      readonly walletConnectProject?: string | undefined
      readonly isProduction: boolean
    }
    readonly sandbox?: SandboxPages | undefined
    /** Handles clients that pay over HTTP (x402). If absent, such clients get the HTML pages. */
    readonly respondToProgram?: ProgramNeeds['respond']
    readonly stores?: Stores
    readonly clock: Clock
    /** Returns the trusted client address. */
    readonly addressOf: (request: FastifyRequest) => string
  }

export type UnknownPage = ReturnType<typeof registerSite>

export async function registerPages(app: FastifyInstance, needs: PageNeeds): Promise<UnknownPage> {
  const hasWalletConnect = needs.site.walletConnectProject !== undefined
  const steps = (locale: Locale) => walletSteps(translator(locale), { hasWalletConnect })
  const assets = await buildAssets({ hasWalletConnect }, steps)
  addCheckout(app, needs, assets)
  registerOnSuccess(app, needs, assets, needs.checkouts.findOnSuccess)
  addLiveStatus(app, needs)
  registerReceipt(app, needs, assets)
  registerClaim(app, needs, assets)
  registerPreview(app, { ...needs, checkoutPage }, assets)
  if (needs.stores) {
    const isSecure = needs.site.isProduction || needs.site.baseUrl.startsWith('https:')
    registerStore(app, { ...needs, stores: needs.stores, isSecure }, assets)
  }
  if (needs.sandbox) registerSandbox(app, { ...needs, sandbox: needs.sandbox }, assets)
  addAssets(app, assets)
  registerImages(app, needs)
  registerEmbedScript(app, assets)
  registerGuides(app, needs, assets)
  if (needs.respondToProgram) registerLlms(app, needs)
  return registerSite(app, needs, assets)
}

function addCheckout(app: FastifyInstance, needs: PageNeeds, assets: PageAssets): void {
  const { find, openAttempt } = needs.checkouts

  const showCheckout = pageHandler(needs, assets, async (request, frame) => {
    const asked = readRequest(request)
    const checkout = await loadCheckout({ findCheckout: find, openAttempt, clock: needs.clock }, asked)
    const { t } = frame
    const userAgent = request.headers['user-agent']
    const lang = typeof request.query.lang === 'string' ? t.locale : undefined
    const theme = await needs.themes.find(checkout.view.recipient, request.headers.host)
    const { framedBy, ...embedding } = await validateEmbedding(needs, request, checkout.view.recipient)
    const context = pageContext(needs.site, {
      ...asked,
      now: checkout.now,
      t,
      userAgent,
      lang,
      isCardAway: request.query.onramp === 'away',
      isEmbedded: embedding.embedder !== undefined,
    })
    const page = checkoutPage(checkout, context, { ...frame, ...embedding, theme })
    const headers = needs.respondToProgram ? { link: linksOf(request) } : {}
    return { html: page, allow: { ...allowanceOf(checkout, context), framedBy }, headers }
  })
  const showQrToo = sendQrOr(showCheckout, {
    admit: needs.admit,
    findPayUrl: (request, id) => needs.checkouts.findPayUrl({ ...readRequest(request), id }),
  })
  const { respondToProgram: respond, admit } = needs
  const programs = respond && { admit, respond, readAddress: readRequest }
  const places = [
    ['/pay/:id', showCheckout],
    ['/portal/:id', showQrToo],
  ] as const
  for (const [path, show] of places) {
    app.get(path, { config: { limit: 'own' } }, programs ? respondToProgramOr(show, programs) : show)
    if (programs) allowPrograms(app, path)
  }
  const { openCard } = needs.checkouts
  if (openCard) registerCard(app, { ...needs, openCard, readRequest }, assets)
}

/** Builds the `Link` header for programs: the receipt as JSON, and `/llms.txt`. */
function linksOf(request: PageRequest): string {
  const { id, recipient } = readRequest(request)
  const query = recipient === undefined ? '' : `?recipient=${encodeURIComponent(recipient)}`
  const alternate = `</pay/${encodeURIComponent(id)}${query}>; rel="alternate"; type="application/json"`
  return `${alternate}, </llms.txt>; rel="help"; type="text/plain"`
}

export const relays = ['wss://relay.walletconnect.org', 'wss://relay.walletconnect.com']

function allowanceOf({ view, panel }: Checkout, { walletConnectProject }: PageContext): PageAllowances {
  return {
    connect: !isClosed(panel) && walletConnectProject !== undefined ? relays : [],
    forms: view.onramp !== null && !isClosed(panel),
    frames: view.hasOnSuccess,
  }
}

function addLiveStatus(app: FastifyInstance, needs: PageNeeds): void {
  app.get<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>(
    '/pay/:id/status',
    { config: { limit: 'openPages' } },
    async (request, reply) => {
      const view = await needs.checkouts.find(readRequest(request))
      const now = needs.clock.now()
      const status = liveStatus({ view, panel: evaluatePanel(view, now), now })
      return reply.header('cache-control', 'no-store').send(status)
    },
  )
}

function addAssets(app: FastifyInstance, assets: PageAssets): void {
  app.get<{ Params: { file: string } }>(
    '/assets/:file',
    { config: { limit: 'none' } },
    async (request, reply) => {
      const { file } = request.params
      // The merchant's web app is built without knowledge of the hashed file name.
      if (file === 'walletconnect.js' && assets.walletConnect)
        return reply.redirect(assets.walletConnect, 302)
      const asset = assets.files.get(`/assets/${file}`)
      if (!asset) throw new ApiError('not_found', 'File not found')
      return sendAsset(request, reply, asset)
    },
  )
  app.get('/favicon.ico', { config: { limit: 'none' } }, async (_request, reply) =>
    reply.redirect(assets.icon, 302),
  )
}

/** @throws {ApiError} `not_found` if `recipient` is repeated. */
function readRequest(request: PageRequest): CheckoutRequest {
  const { recipient, token, keep, onramp } = request.query
  if (Array.isArray(recipient)) throw new ApiError('not_found', 'Receipt not found')
  return {
    id: request.params.id ?? '',
    recipient: typeof recipient === 'string' ? recipient : undefined,
    host: request.headers.host,
    token: typeof token === 'string' ? token : undefined,
    keepsQuote: keep !== undefined,
    isFromProvider: onramp === 'back',
  }
}

/** Registers the embed script at a fixed path, with a short cache lifetime for updates. */
function registerEmbedScript(app: FastifyInstance, { embed }: PageAssets): void {
  const etag = `"${createHash('sha256').update(embed.body).digest('base64url').slice(0, 22)}"`
  app.get('/embed.js', { config: { limit: 'none' } }, async (request, reply) => {
    reply
      .headers(imageHeaders)
      .header('cache-control', 'public, max-age=300, stale-while-revalidate=86400')
      .header('x-content-type-options', 'nosniff')
      .header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return sendCompressed(request, reply, embed)
  })
}

import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Log } from '../platform/log.ts'
import { checkoutPage } from './checkout-page.ts'
import { errorPage, errorStatusOf, type PageError } from './error-page.ts'
import { buildAssets, type PageAssets } from './html/build-assets.ts'
import { sendAsset, sendPage } from './html/send-page.ts'
import type { LiveStatus } from './live/island-data.ts'
import { LiveCheckouts } from './live/live-checkouts.ts'
import { liveStatus } from './live/live-status.ts'
import { chooseLocale } from './messages/locales.ts'
import { translator } from './messages/translator.ts'
import {
  type CheckoutRequest,
  type FindCheckout,
  loadCheckout,
  type OpenAttempt,
} from './panels/load-checkout.ts'
import { pageContext } from './panels/page-context.ts'
import { judgePanel } from './panels/panel.ts'

/** What the pages take from the rest of the service. */
export type PageNeeds = {
  readonly checkouts: { readonly find: FindCheckout; readonly openAttempt: OpenAttempt }
  readonly site: {
    readonly baseUrl: string
    /** An endpoint for wallets that do not know the chain; only the local chain has none of its own. */
    readonly localRpcUrl: string | undefined
    /** The service answers for a demo buyer's wallet: a local one does. */
    readonly hasDemoWallet?: boolean
    readonly isProduction: boolean
  }
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Counts a page against the address that asks for it. @throws {Refusal} `rate_limited` */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, name: 'pages') => Promise<void>
  /** Where a request came from, as far as it can be trusted. */
  readonly addressOf: (request: FastifyRequest) => string
}

type PageRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/**
 * Registers the pages that buyers see: the checkout, its live status, and their files.
 *
 * Pages answer in HTML, so they turn refusals into pages themselves; all else of the service
 * leaves that to the one error mapper.
 */
export async function registerPages(app: FastifyInstance, needs: PageNeeds): Promise<void> {
  const assets = await buildAssets()
  addCheckout(app, needs, assets)
  addLiveStatus(app, needs)
  addAssets(app, assets)
}

/** The checkout, at both of its addresses. */
function addCheckout(app: FastifyInstance, needs: PageNeeds, assets: PageAssets): void {
  const { find, openAttempt } = needs.checkouts

  const showCheckout = async (request: PageRequest, reply: FastifyReply) => {
    const nonce = makeNonce(needs)
    const t = translator(chooseLocale(request.query.lang, request.headers['accept-language']))
    try {
      await needs.admit(request, reply, 'pages')
      const asked = readRequest(request)
      const checkout = await loadCheckout({ findCheckout: find, openAttempt, clock: needs.clock }, asked)
      const userAgent = request.headers['user-agent']
      const lang = typeof request.query.lang === 'string' ? t.locale : undefined
      const context = pageContext(needs.site, { ...asked, now: checkout.now, t, userAgent, lang })
      return sendPage(request, reply, {
        status: 200,
        nonce,
        html: checkoutPage(checkout, context, { assets, nonce }),
      })
    } catch (error) {
      const trouble = pageErrorOf(error)
      if (!(error instanceof Refusal))
        needs.log.error({ err: error, correlationId: request.id }, 'a page failed')
      if (trouble === 'out-of-order') reply.header('retry-after', '5')
      const page = errorPage(trouble, { assets, nonce, t, correlationId: request.id })
      return sendPage(request, reply, { status: errorStatusOf[trouble], nonce, html: page })
    }
  }

  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    '/pay/:id',
    { config: { limit: 'own' } },
    showCheckout,
  )
  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    '/portal/:id',
    { config: { limit: 'own' } },
    showCheckout,
  )
}

/** What an open page asks, or is told, of its payment. */
function addLiveStatus(app: FastifyInstance, needs: PageNeeds): void {
  const { find } = needs.checkouts
  const live = new LiveCheckouts(needs)

  const readLive = async (request: CheckoutRequest): Promise<LiveStatus> => {
    const view = await find(request)
    const now = needs.clock.now()
    return liveStatus({ view, panel: judgePanel(view, now), now })
  }

  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    '/pay/:id/status',
    // As the API's own checkout: an open page that is not told live asks every two seconds.
    { config: { limit: 'reads' } },
    async (request, reply) =>
      reply.header('cache-control', 'no-store').send(await readLive(readRequest(request))),
  )

  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    '/pay/:id/events',
    async (request, reply) => {
      const asked = readRequest(request)
      // Refuses before the stream begins, and costs the first message nothing.
      const { receiptId: id, recipient } = await find(asked)
      const address = needs.addressOf(request)
      if (!live.hasRoom(address)) return reply.status(204).send()
      reply.hijack()
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      reply.raw.write('retry: 2000\n\n')
      const key = `${recipient.toLowerCase()}/${id}`
      live.listen({ key, address }, reply.raw, () => readLive({ ...asked, id, recipient }))
      return reply
    },
  )

  app.addHook('preClose', async () => live.close())
}

/** Styles, scripts and pictures of the pages. */
function addAssets(app: FastifyInstance, assets: PageAssets): void {
  app.get<{ Params: { file: string } }>(
    '/assets/:file',
    { config: { limit: 'none' } },
    async (request, reply) => {
      const asset = assets.files.get(`/assets/${request.params.file}`)
      if (!asset) throw new Refusal('not_found', 'No such file')
      return sendAsset(request, reply, asset)
    },
  )
  app.get('/favicon.ico', { config: { limit: 'none' } }, async (_request, reply) =>
    reply.redirect(assets.icon, 302),
  )
}

/** What a page's own scripts and styles are told by, new for each answer. */
function makeNonce({ random }: Pick<PageNeeds, 'random'>): string {
  return Buffer.from(random.bytes(18)).toString('base64url')
}

/** A parameter sent twice names nothing. */
function readRequest(request: PageRequest): CheckoutRequest {
  const { recipient, token, keep } = request.query
  if (Array.isArray(recipient)) throw new Refusal('not_found', 'Receipt not found')
  return {
    id: request.params.id,
    recipient: typeof recipient === 'string' ? recipient : undefined,
    host: request.headers.host,
    token: typeof token === 'string' ? token : undefined,
    keepsQuote: keep !== undefined,
  }
}

function pageErrorOf(error: unknown): PageError {
  const code = error instanceof Refusal ? error.code : undefined
  if (code === 'not_found' || code === 'invalid_input') return 'not-found'
  return code === 'rate_limited' ? 'too-many' : 'out-of-order'
}

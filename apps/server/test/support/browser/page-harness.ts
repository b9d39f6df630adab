import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import Fastify from 'fastify'
import { pino } from 'pino'
import type { EncodedImage } from '../../../src/images/image.ts'
import { ApiError } from '../../../src/kernel/api-error.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { payIn, type SandboxSession } from '../../../src/onramp/sandbox/session.ts'
import type { WordClaim } from '../../../src/pages/claim/register-claim.ts'
import type { CheckoutAddress } from '../../../src/pages/panels/load-checkout.ts'
import { type PageNeeds, registerPages } from '../../../src/pages/register-pages.ts'
import type { StoreOrder } from '../../../src/pages/store/stores.ts'
import { type PageTheme, plainTheme } from '../../../src/pages/theme/page-theme.ts'
import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import type { ClaimablePayment } from '../../../src/payments/claims/find-claimable.ts'
import type { ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import { makeAttempt, makeView, type ViewChanges } from './checkout-views.ts'
import { emptyPages, refuse } from './empty-pages.ts'
import { caseNumber, makeReceiptView } from './receipt-views.ts'
import { type ShelfShop, shelfStores } from './shelf-stores.ts'

/** All buyer pages, with views that a test sets, for states that a real service rarely reaches. */
export type PageHarness = Awaited<ReturnType<typeof startPageHarness>>

export async function startPageHarness(options: { walletConnectProject?: string } = {}) {
  const state = makeState(options.walletConnectProject)
  const { checkouts, receipts, claims, sandbox, site, error: reason, tabs, reported, hints } = state
  const app = Fastify({ logger: false, routerOptions: { maxParamLength: 600 } })
  app.addHook('onRequest', async ({ headers, url }) => {
    if (headers['sec-fetch-dest'] === 'document') tabs.push(url)
  })
  app.setNotFoundHandler(await registerPages(app, pageNeeds(state)))
  app.post<{ Body: { transactionHash: string } }>('/api/checkout/:id/hint', async (request, reply) => {
    hints.push(request.body.transactionHash)
    return reply.status(204).send()
  })
  app.post<{ Params: { id: string } }>('/api/checkout/:id/attempts', async (request, reply) =>
    reply.status(201).send(checkouts.get(request.params.id)?.attempt),
  )
  app.post<{ Body: { receiptId: string; status: string } }>('/api/receipts/status', async ({ body }) => {
    reported.push(`${body.receiptId} ${body.status}`)
    return { ok: true }
  })
  app.setErrorHandler((error, _request, reply) =>
    reply
      .status(error instanceof ApiError && error.code === 'not_found' ? 404 : 500)
      .send({ error: 'failed' }),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  site.baseUrl = url
  return {
    ...state,
    url,
    app,
    put(id: string, changes: ViewChanges | ((now: number) => ViewChanges) = {}): string {
      const now = state.clock.now()
      const own = typeof changes === 'function' ? changes(now) : changes
      checkouts.set(id, makeView(now, { receiptId: id, hasOnSuccess: state.scripts.has(id), ...own }))
      return `${url}/pay/${id}`
    },
    putReceipt(id: string, changes: Partial<ReceiptView> = {}): string {
      const view = makeReceiptView({ receiptId: id, ...changes })
      receipts.set(id, view)
      return `${url}/receipt/${encodeURIComponent(id)}?recipient=${view.recipient}`
    },
    reset(): void {
      for (const key of Object.keys(reason) as (keyof typeof reason)[]) delete reason[key]
      site.hasDemoWallet = false
      claims.payments = []
      state.orders.clear()
      sandbox.clear()
    },
    close: async (): Promise<void> => app.close(),
  }
}

function makeState(walletConnectProject: string | undefined) {
  const clock = { ...systemClock, skewMs: 0, now: () => (systemClock.now() + clock.skewMs) as UnixMs }
  return {
    checkouts: new Map<string, CheckoutView>(),
    receipts: new Map<string, ReceiptView>(),
    shops: new Map<string, ShelfShop>(),
    orders: new Map<ReceiptId, StoreOrder>(),
    sandbox: new Map<string, SandboxSession>(),
    claims: {
      payments: [] as ClaimablePayment[],
      cases: new Map<string, ClaimCase>(),
      made: [] as WordClaim[],
    },
    scripts: new Map<string, string>(),
    /** The theme of all pages, and the image at every image URL. Without `picture`, no image loads. */
    looks: { theme: plainTheme } as { theme: PageTheme; picture?: EncodedImage },
    site: {
      walletConnectProject,
      baseUrl: '',
      localRpcUrl: 'http://127.0.0.1:8545',
      isProduction: false,
      hasDemoWallet: false,
    },
    allowed: { origins: [] as readonly string[] },
    /** Errors of the named requests. `admit` checks the rate limit of every page. */
    error: {} as Partial<Record<'find' | 'open' | 'receipt' | 'claim' | 'admit', Error>>,
    clock,
    hints: [] as string[],
    /** Progress that pages reported, in the form `receipt value`. */
    reported: [] as string[],
    /** Paths that were requested as a tab's document, not as a frame's. */
    tabs: [] as string[],
  }
}

function pageNeeds(state: ReturnType<typeof makeState>): PageNeeds {
  const { checkouts, receipts, scripts, claims, sandbox, looks, site, error: reason, clock } = state
  const find = async ({ id, recipient }: CheckoutAddress) => {
    if (reason.find) throw reason.find
    const view = checkouts.get(id)
    if (!view || (recipient && recipient !== view.recipient)) return refuse()
    const isOpen = view.attempt !== null && view.attempt.expiresAt > clock.now()
    return isOpen ? view : { ...view, attempt: null }
  }
  return {
    ...emptyPages,
    checkouts: {
      find,
      async openAttempt(address, token) {
        if (reason.open) throw reason.open
        const view = await find(address)
        const attempt = makeAttempt(token, clock.now())
        const { amount } = attempt
        const awaiting = { state: 'awaiting', token: attempt.token, due: amount, missing: amount }
        const isUnpaid = ['none', 'awaiting', 'expired'].includes(view.payment.state)
        const payment = isUnpaid ? { ...view.payment, ...awaiting } : view.payment
        checkouts.set(address.id, { ...view, attempt, payment })
        return attempt
      },
      async findOnSuccess(address) {
        const { status, recipient: merchant } = await find(address)
        const script = scripts.get(address.id)
        return status === 'paid' && script !== undefined ? { script, merchant } : undefined
      },
      findPayUrl: async (address) => `${site.baseUrl}/pay/${(await find(address)).receiptId}`,
    },
    receipts: {
      async find({ id }) {
        if (reason.receipt) throw reason.receipt
        return receipts.get(id) ?? refuse()
      },
      baseUrl: async () => site.baseUrl,
    },
    claims: {
      ...emptyPages.claims,
      find: async (hash) => claims.payments.filter(({ transactionHash }) => transactionHash === hash),
      async make(claim) {
        if (reason.claim) throw reason.claim
        claims.made.push(claim)
        return caseNumber
      },
      findCase: async (id) => claims.cases.get(id) ?? refuse(),
    },
    sandbox: {
      find: async (id) => sandbox.get(id),
      async pay(id, outcome) {
        const before = sandbox.get(id)
        const after = before && payIn(before, outcome, { now: systemClock.now(), requestId: 'req_1' })
        if (after) sandbox.set(id, after)
        return sandbox.get(id)
      },
      networkName: 'Local chain',
    },
    stores: shelfStores(state.shops, state.orders),
    embedding: { findOrigins: async () => state.allowed.origins },
    site,
    images: {
      findStored: async () => ({ url: '', name: looks.theme.brandName, primary: undefined }),
      store: {
        find: async () =>
          looks.picture ? { kind: 'image', image: looks.picture } : { kind: 'error', error: 'unreachable' },
        close: () => {},
      },
    },
    themes: { find: async () => looks.theme },
    clock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    async admit() {
      if (reason.admit) throw reason.admit
    },
    addressOf: ({ ip }) => ip,
  }
}

export type MerchantPage = Awaited<ReturnType<typeof serveMerchantPage>>

/** Serves a page at a different origin: `localhost`, since the harness uses `127.0.0.1`. */
export async function serveMerchantPage(
  body: (origin: string) => string,
  headers: Readonly<Record<string, string>> = {},
) {
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end()
    const page = `<!doctype html><html lang="en"><title>Shop</title><body>${body(origin)}</body></html>`
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { EncodedImage } from '../../../src/images/image.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import type { CheckoutAddress } from '../../../src/pages/panels/load-checkout.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import { type PageTheme, plainTheme } from '../../../src/pages/theme/page-theme.ts'
import { makeAttempt, makeView, type ViewChanges } from './checkout-views.ts'
import { emptyPages } from './empty-pages.ts'

/** The pages alone, over receipts that a test writes by hand: for states that are hard to bring about for real. */
export type CheckoutHarness = {
  readonly url: string
  readonly app: FastifyInstance
  /** Hashes that were hinted at. */
  readonly hints: string[]
  /** What pages told of themselves, as `receipt value`. */
  readonly told: string[]
  /** The paths that were asked for as the page of a tab, not of a frame, in order. */
  readonly tabs: string[]
  /** The merchant's script of each receipt that has one. */
  readonly scripts: Map<string, string>
  /** Puts a receipt there, or changes it while pages show it; gives its page. */
  put(id: string, changes?: ViewChanges | ((now: number) => ViewChanges)): string
  /** While set, reads and offers are refused or fail. */
  fault: { find?: Error; open?: Error }
  /** The look of every page, and the picture behind every address of one; the placeholder where there is none. */
  themed: { theme: PageTheme; picture?: EncodedImage }
  /** What the service is set up with; of a project that was there at the start it may be withheld. */
  site: { walletConnectProject: string | undefined }
  /** The origins whose pages may show a checkout in a frame. */
  allowed: { origins: readonly string[] }
  close(): Promise<void>
}

/** Serves the pages on a free port; `site` is what the service is set up with. */
export async function startCheckoutHarness(
  options: { walletConnectProject?: string } = {},
): Promise<CheckoutHarness> {
  const told: string[] = []
  const tabs: string[] = []
  const scripts = new Map<string, string>()
  const views = new Map<string, CheckoutView>()
  const hints: string[] = []
  const fault: CheckoutHarness['fault'] = {}
  const allowed: CheckoutHarness['allowed'] = { origins: [] }
  const themed: CheckoutHarness['themed'] = { theme: plainTheme }
  const app = Fastify({ logger: false, routerOptions: { maxParamLength: 200 } })
  app.addHook('onRequest', async ({ headers, url }) => {
    if (headers['sec-fetch-dest'] === 'document') tabs.push(url)
  })
  const find = async ({ id, recipient }: CheckoutAddress) => {
    if (fault.find) throw fault.find
    const view = views.get(id)
    if (!view || (recipient && recipient !== view.recipient))
      throw new Refusal('not_found', 'Receipt not found')
    const holds = view.attempt !== null && view.attempt.expiresAt > systemClock.now()
    return holds ? view : { ...view, attempt: null }
  }
  const openAttempt = async (address: CheckoutAddress, token: string) => {
    const { id } = address
    if (fault.open) throw fault.open
    const view = await find(address)
    const attempt: AttemptView = makeAttempt(token, systemClock.now())
    const asked = { state: 'awaiting', token: attempt.token, due: attempt.amount, missing: attempt.amount }
    const isUnpaid = ['none', 'awaiting', 'expired'].includes(view.payment.state)
    views.set(id, { ...view, attempt, payment: isUnpaid ? { ...view.payment, ...asked } : view.payment })
    return attempt
  }
  const site = {
    walletConnectProject: options.walletConnectProject,
    baseUrl: '',
    localRpcUrl: 'http://127.0.0.1:8545',
    isProduction: false,
    hasDemoWallet: false,
  }
  const findOnSuccess = async (address: CheckoutAddress) => {
    const { status, recipient: merchant } = await find(address)
    const script = scripts.get(address.id)
    return status === 'paid' && script !== undefined ? { script, merchant } : undefined
  }
  await registerPages(app, {
    checkouts: {
      find,
      openAttempt,
      findOnSuccess,
      findPayUrl: async (address) => `${site.baseUrl}/pay/${(await find(address)).receiptId}`,
    },
    ...emptyPages,
    embedding: { findOrigins: async () => allowed.origins },
    site,
    images: {
      findStored: async () => ({ url: '', name: themed.theme.brandName, primary: undefined }),
      store: {
        find: async () =>
          themed.picture ? { kind: 'image', image: themed.picture } : { kind: 'fault', fault: 'unreachable' },
        close: () => {},
      },
    },
    themes: { find: async () => themed.theme },
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    admit: async () => {},
    addressOf: ({ ip }) => ip,
  })
  app.post<{ Body: { transactionHash: string } }>('/api/checkout/:id/hint', async (request, reply) => {
    hints.push(request.body.transactionHash)
    return reply.status(204).send()
  })
  app.post<{ Params: { id: string } }>('/api/checkout/:id/attempts', async (request, reply) =>
    reply.status(201).send(views.get(request.params.id)?.attempt),
  )
  app.post<{ Body: { receiptId: string; status: string } }>('/api/receipts/status', async ({ body }) => {
    told.push(`${body.receiptId} ${body.status}`)
    return { ok: true }
  })
  app.setErrorHandler((error, _request, reply) =>
    reply
      .status(error instanceof Refusal && error.code === 'not_found' ? 404 : 500)
      .send({ error: 'failed' }),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  site.baseUrl = url
  return {
    url,
    app,
    hints,
    told,
    tabs,
    scripts,
    fault,
    themed,
    site,
    allowed,
    put(id, changes = {}) {
      const now = systemClock.now()
      const own = typeof changes === 'function' ? changes(now) : changes
      views.set(id, makeView(now, { receiptId: id, hasOnSuccess: scripts.has(id), ...own }))
      return `${url}/pay/${id}`
    },
    close: () => app.close(),
  }
}

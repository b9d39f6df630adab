import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import Fastify from 'fastify'
import { pino } from 'pino'
import type { EncodedImage } from '../../../src/images/image.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import { payIn, type SandboxSession } from '../../../src/onramp/sandbox/session.ts'
import type { WordClaim } from '../../../src/pages/claim/register-claim.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import type { StoreOrder } from '../../../src/pages/store/stores.ts'
import { type PageTheme, plainTheme } from '../../../src/pages/theme/page-theme.ts'
import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import type { ClaimablePayment } from '../../../src/payments/claims/find-claimable.ts'
import type { ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import { caseNumber } from './claim-views.ts'
import { emptyPages } from './empty-pages.ts'
import { makeReceiptView } from './receipt-views.ts'
import { type ShelfShop, shelfStores } from './shelf-stores.ts'

/** The pages beside the checkout alone, over what a test writes by hand. */
export type PageHarness = {
  readonly url: string
  /** Puts a receipt there, or changes it while pages show it; gives its page. */
  put(id: string, changes?: Partial<ReceiptView>): string
  /** How the pages look, and the picture behind every address of one; the placeholder where there is none. */
  readonly looks: { theme: PageTheme; picture?: EncodedImage }
  /** The storefronts, by their slugs, and what became of their orders. */
  readonly shops: Map<string, ShelfShop>
  readonly orders: Map<ReceiptId, StoreOrder>
  /** Changes while pages are shown: whether this is a local service, and how requests fail. */
  readonly service: { hasDemoWallet: boolean; refusal?: Error; fault?: Error }
  /** The sessions of the card sandbox. */
  readonly sandbox: Map<string, SandboxSession>
  readonly claims: {
    /** What may be found. */
    payments: ClaimablePayment[]
    readonly cases: Map<string, ClaimCase>
    /** What was claimed without a proof. */
    readonly made: WordClaim[]
    /** While set, claims are refused so. */
    fault?: Error
  }
  close(): Promise<void>
}

/** Serves the pages on a free port. */
export async function startPageHarness(): Promise<PageHarness> {
  const views = new Map<string, ReceiptView>()
  const looks: PageHarness['looks'] = { theme: plainTheme }
  const service: PageHarness['service'] = { hasDemoWallet: false }
  const shops: PageHarness['shops'] = new Map()
  const orders: PageHarness['orders'] = new Map()
  const site = { baseUrl: '', localRpcUrl: undefined, isProduction: false, hasDemoWallet: false }
  const claims: PageHarness['claims'] = { payments: [], cases: new Map(), made: [] }
  const sandbox: PageHarness['sandbox'] = new Map()
  const app = Fastify({ logger: false, routerOptions: { maxParamLength: 600 } })
  let url = ''
  const unknownPage = await registerPages(app, {
    ...emptyPages,
    stores: shelfStores(shops, orders),
    receipts: {
      async find({ id }) {
        if (service.fault) throw service.fault
        const view = views.get(id)
        if (!view) throw new Refusal('not_found', 'Receipt not found')
        return view
      },
      baseUrl: async () => url,
    },
    claims: {
      ...emptyPages.claims,
      find: async (hash) => claims.payments.filter(({ transactionHash }) => transactionHash === hash),
      async make(claim) {
        if (claims.fault) throw claims.fault
        claims.made.push(claim)
        return caseNumber
      },
      async findCase(id) {
        const found = claims.cases.get(id)
        return found ?? refuse()
      },
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
    themes: { find: async () => looks.theme },
    images: {
      findStored: async () => ({ url: '', name: looks.theme.brandName, primary: undefined }),
      store: {
        find: async () =>
          looks.picture ? { kind: 'image', image: looks.picture } : { kind: 'fault', fault: 'unreachable' },
        close: () => {},
      },
    },
    checkouts: {
      find: refuse,
      openAttempt: refuse,
      findOnSuccess: async () => undefined,
      findPayUrl: async () => '',
    },
    site: Object.defineProperty(site, 'hasDemoWallet', { get: () => service.hasDemoWallet }),
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    admit: async () => {
      if (service.refusal) throw service.refusal
    },
    addressOf: ({ ip }) => ip,
  })
  app.setNotFoundHandler(unknownPage)
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    looks,
    shops,
    orders,
    sandbox,
    service,
    claims,
    put(id, changes = {}) {
      const view = makeReceiptView({ receiptId: id, ...changes })
      views.set(id, view)
      return `${url}/receipt/${encodeURIComponent(id)}?recipient=${view.recipient}`
    },
    close: () => app.close(),
  }
}

async function refuse(): Promise<never> {
  throw new Refusal('not_found', 'Receipt not found')
}

import Fastify from 'fastify'
import { pino } from 'pino'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import type { WordClaim } from '../../../src/pages/claim/register-claim.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import { type PageTheme, plainTheme } from '../../../src/pages/theme/page-theme.ts'
import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import type { ClaimablePayment } from '../../../src/payments/claims/find-claimable.ts'
import type { ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import { caseNumber } from './claim-views.ts'
import { emptyPages } from './empty-pages.ts'
import { makeReceiptView } from './receipt-views.ts'

/** The pages of receipts and claims alone, over what a test writes by hand. */
export type ReceiptHarness = {
  readonly url: string
  /** Puts a receipt there, or changes it while pages show it; gives its page. */
  put(id: string, changes?: Partial<ReceiptView>): string
  /** How the pages look. */
  readonly looks: { theme: PageTheme }
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
export async function startReceiptHarness(): Promise<ReceiptHarness> {
  const views = new Map<string, ReceiptView>()
  const looks = { theme: plainTheme }
  const claims: ReceiptHarness['claims'] = { payments: [], cases: new Map(), made: [] }
  const app = Fastify({ logger: false, routerOptions: { maxParamLength: 600 } })
  let url = ''
  await registerPages(app, {
    ...emptyPages,
    receipts: {
      async find({ id }) {
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
    themes: { find: async () => looks.theme },
    images: {
      findStored: async () => undefined,
      store: { find: async () => ({ kind: 'fault', fault: 'unreachable' }), close: () => {} },
    },
    checkouts: {
      find: refuse,
      openAttempt: refuse,
      findOnSuccess: async () => undefined,
      findPayUrl: refuse,
    },
    embedding: { findOrigins: async () => [] },
    site: {
      baseUrl: '',
      localRpcUrl: undefined,
      isProduction: false,
      hasDemoWallet: false,
    },
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'error' }),
    admit: async () => {},
    addressOf: ({ ip }) => ip,
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    looks,
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

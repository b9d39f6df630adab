import { localNetwork } from '@sluice/protocol/networks/list.ts'
import type { Change } from './change.ts'

/** A source of rates that knows the euro. */
export const rateSource: Change = {
  task: 'a rate source',
  limit: 2,
  edits: [
    {
      file: 'apps/server/src/pricing/rates/example-rates.ts',
      as: 'pricing/rates/<name>-rates.ts',
      text: `import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { RateSource } from './rate-source.ts'
import { memberOf, parseRateE8, readJson } from './read-source.ts'

const name = 'example'

/** The euro, as somebody else sees it. */
export function exampleRates(needs: { outbound: Outbound; clock: Clock }): RateSource {
  return {
    name,
    codes: ['EUR'],
    async read() {
      const answer = await readJson(needs, 'https://rates.example.com/eur')
      const usdPerUnit = 'json' in answer ? parseRateE8(memberOf(answer.json, 'usd')) : undefined
      if (usdPerUnit === undefined) return [{ code: 'EUR', source: name, fault: 'no rate' }]
      return [{ code: 'EUR', source: name, usdPerUnit, quotedAt: needs.clock.now() }]
    },
  }
}
`,
    },
    {
      file: 'apps/server/src/pricing/rates/live-rates.ts',
      as: 'live-rates.ts',
      replace: [
        [
          'import { krakenRates }',
          "import { exampleRates } from './example-rates.ts'\nimport { krakenRates }",
        ],
        ['chainlinkRates]', 'chainlinkRates, exampleRates]'],
      ],
    },
  ],
  async isThere() {
    const { liveRates } = await import('../../apps/server/src/pricing/rates/live-rates.ts')
    const needs = { chain: { id: localNetwork.id } } as Parameters<typeof liveRates>[0]
    return liveRates(needs).some(({ name }) => name === 'example')
  },
}

/** A failure code. */
export const failureCode: Change = {
  task: 'a failure code',
  limit: 3,
  edits: [
    {
      file: 'packages/protocol/src/failure-catalogue.ts',
      as: 'protocol/src/failure-catalogue.ts',
      replace: [
        [
          'export const failures = {',
          `export const failures = {
  PORTAL_PAY_CARD_LOST: {
    category: 'card_decline',
    reason: 'The card was reported lost.',
    action: 'Ask the buyer to pay with another card.',
    retry: 'no',
    providerCodes: [],
  },`,
        ],
      ],
    },
    {
      // The check then asks for the same in every other language.
      file: 'apps/server/src/pages/messages/en/checkout.json',
      as: 'pages/messages/<language>/checkout.json',
      replace: [
        [
          '  "checkout.failure.PORTAL_PAY_CARD_EXPIRED.reason"',
          `  "checkout.failure.PORTAL_PAY_CARD_LOST.reason": "The card cannot be used.",
  "checkout.failure.PORTAL_PAY_CARD_LOST.next": "Pay with another card, or from a wallet.",
  "checkout.failure.PORTAL_PAY_CARD_EXPIRED.reason"`,
        ],
      ],
    },
    {
      file: 'apps/server/src/onramp/sandbox/test-cards.ts',
      as: 'onramp/sandbox/test-cards.ts',
      replace: [
        [
          'export const failingCards = {',
          `export const failingCards = {
  PORTAL_PAY_CARD_LOST: '4000000001100009',`,
        ],
      ],
    },
  ],
  writes: [
    { command: 'node scripts/write-failure-codes.ts', files: ['docs/failure-codes.md'] },
    { command: 'node scripts/write-lists.ts', files: ['docs/cards.md'] },
  ],
  async isThere() {
    const { describeFailure } = await import('@sluice/protocol/failures.ts')
    const describe = describeFailure as (code: string) => { failureReason: string | null }
    try {
      return describe('PORTAL_PAY_CARD_LOST').failureReason === 'The card was reported lost.'
    } catch {
      return false
    }
  },
}

/** A setting that is a number. */
export const setting: Change = {
  task: 'a setting',
  limit: 1,
  edits: [
    {
      file: 'apps/server/src/platform/settings/settings.ts',
      as: 'platform/settings/settings.ts',
      replace: [
        [
          '  LOG_LEVEL: {',
          `  EXAMPLE_COUNT: {
    as: 'exampleCount',
    help: 'how many examples',
    read: read.wholeNumber(0, 9),
    default: '3',
  },
  LOG_LEVEL: {`,
        ],
      ],
    },
  ],
  writes: [{ command: 'node scripts/check-env.ts --write', files: ['.env.example'] }],
  async isThere() {
    const { readConfig } = await import('../../apps/server/src/platform/settings/config.ts')
    const read = (text: string) => Object.entries(readConfig({ EXAMPLE_COUNT: text }))
    return read('7').some(([name, value]) => name === 'exampleCount' && value === 7)
  },
}

/** A job that does nothing, every minute or when it is nudged. */
export const job: Change = {
  task: 'a job',
  limit: 3,
  edits: [
    {
      file: 'apps/server/src/orders/count-examples.ts',
      as: 'a verb in its module',
      text: `import type { Clock } from '../kernel/clock.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'

/** The job that counts. */
export function countExamplesJob({ clock }: { clock: Clock }): Job {
  return {
    name: jobNames.countExamples,
    everyMs: 60_000,
    async run() {
      return clock.now() > 0 ? 'done' : 'again'
    },
  }
}
`,
    },
    {
      file: 'apps/server/src/platform/jobs/names.ts',
      as: 'platform/jobs/names.ts',
      replace: [
        ['export const jobNames = {', "export const jobNames = {\n  countExamples: 'count-examples',"],
      ],
    },
    {
      file: 'apps/server/src/app/jobs.ts',
      as: 'app/jobs.ts',
      replace: [
        [
          'import { settleStockJob }',
          "import { countExamplesJob } from '../orders/count-examples.ts'\nimport { settleStockJob }",
        ],
        ['    makeKeepFeedJob(world),', '    makeKeepFeedJob(world),\n    countExamplesJob(world),'],
      ],
    },
  ],
  async isThere() {
    const { makeJobs } = await import('../../apps/server/src/app/jobs.ts')
    const { makeLog } = await import('../../apps/server/src/platform/log.ts')
    const { usualTimings } = await import('../../apps/server/src/platform/jobs/timings.ts')
    // Jobs are made, and none is run: they are asked for their names.
    const maker = { makeJob: () => ({ name: 'of another module' }) }
    const access = { requests: maker, refused: maker, lastUsed: maker }
    const needs = [
      { chain: localNetwork, log: makeLog('silent'), onramp: { all: [] }, timings: usualTimings },
      {},
      { access, brandOrigins: maker, keepPromises: maker.makeJob() },
    ]
    const [world, config, parts] = needs as unknown as Parameters<typeof makeJobs>
    return makeJobs(world, config, parts).some(({ name }) => name === 'count-examples')
  },
}

/** A page that says one thing. */
export const page: Change = {
  task: 'a page',
  limit: 3,
  edits: [
    {
      file: 'apps/server/src/pages/example-page.ts',
      as: 'pages/<name>-page.ts',
      text: `import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageFrame } from './html/error-page.ts'
import { htmlDocument } from './html/html-document.ts'

/** A page that says one thing. */
export function examplePage(frame: PageFrame): SafeHtml {
  return htmlDocument({ ...frame, locale: frame.t.locale, title: 'Example', body: html\`<main><h1>An example</h1></main>\` })
}
`,
    },
    {
      file: 'apps/server/src/pages/register-pages.ts',
      as: 'pages/register-pages.ts',
      replace: [
        ['import { buildAssets,', "import { examplePage } from './example-page.ts'\nimport { buildAssets,"],
        [
          '  addCheckout(app, needs, assets)',
          `  addCheckout(app, needs, assets)
  app.get(
    '/example',
    { config: { limit: 'none' } },
    answerPage(needs, assets, async (_request, frame) => ({ html: examplePage(frame) })),
  )`,
        ],
      ],
    },
  ],
  async isThere() {
    const { makeHttp } = await import('../../apps/server/src/app/http/http.ts')
    const { systemClock } = await import('../../apps/server/src/kernel/clock.ts')
    const { systemRandom } = await import('../../apps/server/src/kernel/random.ts')
    const { registerPages } = await import('../../apps/server/src/pages/register-pages.ts')
    const { makeLog } = await import('../../apps/server/src/platform/log.ts')
    const needs = {
      admit: async () => {},
      images: { store: { close: () => {} } },
      checkouts: {},
      site: {},
      clock: systemClock,
      random: systemRandom,
      log: makeLog('silent'),
      gate: {},
    }
    const app = makeHttp(needs as unknown as Parameters<typeof makeHttp>[0], [])
    await registerPages(app, needs as unknown as Parameters<typeof registerPages>[1])
    const { statusCode, body } = await app.inject('/example')
    await app.close()
    return statusCode === 200 && body.includes('<h1>An example</h1>')
  },
}

/** A field of a receipt that is stored: what its maker calls the place it was sold at. */
export const storedField: Change = {
  task: 'a stored receipt field',
  limit: 4,
  edits: [
    {
      file: 'apps/server/migrations/9999_receipt_sales_point.sql',
      as: 'a migration',
      text: 'ALTER TABLE receipt ADD COLUMN sales_point text;\n',
    },
    {
      file: 'apps/server/src/receipts/receipt.ts',
      as: '`receipts/receipt.ts`',
      replace: [
        [
          '  readonly transactionId: string | undefined\n',
          '  readonly transactionId: string | undefined\n  readonly salesPoint: string | undefined\n',
        ],
      ],
    },
    {
      file: 'apps/server/src/receipts/table.ts',
      as: '`table.ts`',
      replace: [
        [
          '  transactionId: optional(text()),',
          '  transactionId: optional(text()),\n  salesPoint: optional(text()),',
        ],
      ],
    },
    {
      file: 'apps/server/src/receipts/making/make-receipt.ts',
      as: '`making/make-receipt.ts`',
      replace: [
        [
          '    transactionId,\n',
          "    transactionId,\n    salesPoint: origin === 'terminal' ? 'counter' : undefined,\n",
        ],
      ],
    },
  ],
  async isThere() {
    const { receiptTable } = await import('../../apps/server/src/receipts/table.ts')
    return receiptTable.columns.some(({ name }) => name === 'sales_point')
  },
}

/** A test that runs or compiles code blocks of pages. */
export type PageTest = {
  /** Path below `apps/server/test`. */
  readonly test: string
  readonly pages: readonly string[]
  /** Language of the blocks. `sh` includes the output after a command and the files that a guide saves. */
  readonly language: string
  /** Headings above the blocks. If absent, all headings. */
  readonly headings?: readonly string[]
  readonly does: 'run' | 'compiled' | 'prepared'
}

/**
 * The guides that run against one local service, in this order. The last one uses up a subscription's
 * requests.
 */
export const guides = [
  'card-sandbox',
  'gasless',
  'receipts',
  'orders',
  'reference/errors',
  'access',
  'x402',
  'webhooks',
  'brands',
  'reference/limits',
]

const sdkPages = ['README.md', 'docs/sdk.md', 'packages/sdk/README.md']
const archiving = 'Archive every change (point-in-time recovery)'

/** All tests of code blocks. `check-snippets.ts` checks that each test contains its pages and headings. */
export const pageTests: readonly PageTest[] = [
  { test: 'docs/quickstart.test.ts', pages: ['docs/quickstart.md'], language: 'sh', does: 'run' },
  {
    test: 'docs/guides.deep.test.ts',
    pages: guides.map((name) => `docs/${name}.md`),
    language: 'sh',
    does: 'run',
  },
  {
    test: 'docs/backup.deep.test.ts',
    pages: ['docs/backup.md'],
    language: 'sh',
    headings: [
      archiving,
      'Copy the database',
      'Restore',
      'Fail over to a standby',
      'Pay out without the database',
    ],
    does: 'run',
  },
  {
    test: 'docs/packaging.deep.test.ts',
    pages: ['docs/packaging.md'],
    language: 'sh',
    headings: ['Secrets', 'The command line'],
    does: 'run',
  },
  { test: 'docs/degraded-examples.test.ts', pages: ['docs/degraded-mode.md'], language: 'json', does: 'run' },
  {
    test: 'docs/deploy.deep.test.ts',
    pages: ['docs/deploy.md'],
    language: 'sh',
    does: 'run',
  },
  ...['ts', 'python', 'php'].map(
    (language): PageTest => ({
      test: 'docs/webhook-recipes.deep.test.ts',
      pages: ['docs/webhook-recipes.md'],
      language,
      does: 'run',
    }),
  ),
  { test: 'docs/sql-blocks.deep.test.ts', pages: ['docs/chain.md'], language: 'sql', does: 'prepared' },
  { test: 'browser/embed.deep.test.ts', pages: ['docs/embed.md'], language: 'html', does: 'run' },
  { test: 'browser/embed.deep.test.ts', pages: ['docs/embed.md'], language: 'js', does: 'run' },
  {
    test: 'browser/checkout-after-payment.deep.test.ts',
    pages: ['docs/checkout.md'],
    language: 'js',
    does: 'run',
  },
  { test: 'flows/programs/packages.deep.test.ts', pages: sdkPages, language: 'ts', does: 'compiled' },
  {
    test: 'flows/programs/generated-client.deep.test.ts',
    pages: ['docs/reference/api.md'],
    language: 'ts',
    does: 'compiled',
  },
]

/** Returns the test of a block, or `undefined`. */
export function findPageTest(page: string, language: string, heading: string): PageTest | undefined {
  return pageTests.find(
    (each) =>
      each.pages.includes(page) &&
      each.language === language &&
      (each.headings === undefined || each.headings.includes(heading)),
  )
}

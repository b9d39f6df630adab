import { existsSync } from 'node:fs'

/**
 * `npm run mutations`: Stryker mutates the modules for money, access, status and webhooks, and runs the
 * contract tests in addition to the unit tests.
 *
 * `-- --mutate apps/server/src/receipts/status.ts` mutates one module. `MUTATION_TESTS`, a comma-separated
 * list of contract test files, restricts the tests. A mutant in a table that is created while its module
 * loads needs all tests.
 */
const within = (folder, ...names) => names.map((name) => find(`apps/server/src/${folder}/${name}.ts`))

/** Stryker ignores a path that does not exist. */
function find(path) {
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  return path
}

export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutations/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [
    ...within('receipts', 'status', 'change-status', 'after-payment', 'making/make-receipt'),
    ...within(
      'access',
      'guard/authorize',
      'keys/validate-scopes',
      'sessions/gate',
      'sessions/check-signature',
    ),
    ...within('payments', 'ledger/evaluate-payment', 'cards/evaluate-sessions'),
    ...within('pricing', 'valuation', 'rates/rate-book'),
    ...within('split', 'setup/view-split', 'ledger/merge-events'),
    ...within('webhooks', 'sign', 'enqueue-delivery', 'delivery/settle-attempt'),
  ],
  ignorePatterns: ['data', 'coverage', 'docs/images', 'contracts/out', 'contracts/cache'],
  // Stryker rewrites tsconfig paths with a compiler API that is not installed. Node.js reads no tsconfig.
  tsconfigFile: 'none',
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  concurrency: 1,
  dryRunTimeoutMinutes: 15,
  timeoutMS: 30_000,
  thresholds: { high: 90, low: 80, break: 75 },
}

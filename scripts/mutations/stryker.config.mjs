/**
 * `npm run mutations`: Stryker breaks the modules about money, access, status and webhooks, and runs the tests of the
 * contract beside the unit tests. `-- --mutate apps/server/src/receipts/status.ts` is one module, and `MUTATION_TESTS`, names of
 * files of the contract by commas, are the tests that are to notice: a table that is made while a module loads needs them all.
 */
const within = (folder, ...names) => names.map((name) => `apps/server/src/${folder}/${name}.ts`)

export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutations/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [
    ...within('receipts', 'status', 'change-status', 'after-payment', 'making/make-receipt'),
    ...within('access', 'guard/authorize', 'keys/judge-scopes', 'sessions/gate', 'sessions/check-signature'),
    ...within('payments', 'ledger/judge-payment', 'cards/judge-sessions'),
    ...within('pricing', 'valuation', 'fee', 'native-lines', 'rates/rate-book'),
    ...within('split', 'setup/view-split', 'ledger/fold-events'),
    ...within('webhooks', 'sign', 'enqueue-delivery', 'delivery/schedule', 'delivery/settle-attempt'),
  ],
  ignorePatterns: ['data', 'coverage', 'docs/images', 'contracts/out', 'contracts/cache'],
  // It rewrites the paths of a tsconfig by the API of a compiler that is not installed; Node reads none.
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

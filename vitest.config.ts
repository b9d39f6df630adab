import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/run/longest-first.ts'

/** Drawn for each run unless it is set, so that a run can be repeated. */
const chaosSeed = Number(process.env.CHAOS_SEED) || Math.trunc(Math.random() * 1e9)

/** What one run in many shows is named at the end of it, and keeps nothing else from being taken. Elsewhere it fails. */
const retryInCi = process.env.CI ? 1 : 0

/**
 * Tests beside the code, tests of the API and journeys, and tests in a browser; one PostgreSQL for the whole run.
 *
 * Timeouts end what hangs and measure nothing: a machine that does something else as well fails no test.
 */
export default defineConfig({
  test: {
    // Most tests wait for a database, a chain or a process: four at a time keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // A worker keeps what it has loaded: to load the service anew for each file costs more than most files' tests do.
    // Nothing of ours has a state beside what a test starts and ends.
    isolate: false,
    globalSetup: ['apps/server/test/support/global-setup.ts'],
    setupFiles: ['apps/server/test/support/clean-up.ts'],
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'packages/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'contracts/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', 'contracts/out/**', 'contracts/cache/**'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          provide: { receiptCount: 20_000 },
        },
      },
      {
        // The promise about money in full: `npx vitest run --project million`, some minutes.
        extends: true,
        test: {
          name: 'million',
          include: ['apps/server/src/receipts/receipt-money.test.ts'],
          provide: { receiptCount: 1_000_000 },
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['apps/server/test/{api,contract,flows}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'apps/server/test/flows/faults/degraded-kills.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          provide: { chaos: { forMs: 25_000, seed: chaosSeed } },
          retry: retryInCi,
        },
      },
      {
        // Lowers the priority of its own process, which cannot be taken back: nothing runs in that process after it.
        extends: true,
        test: {
          name: 'server-alone',
          include: ['apps/server/test/flows/faults/degraded-kills.test.ts'],
          isolate: true,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          retry: retryInCi,
        },
      },
      {
        // Replicas harmed for longer: `npm run chaos`, ten minutes or CHAOS_MINUTES. `npm run scale` has its workers harmed.
        extends: true,
        test: {
          name: 'chaos',
          include: ['apps/server/test/flows/faults/chaos.test.ts'],
          provide: {
            chaos: {
              forMs: Number(process.env.CHAOS_MINUTES ?? 10) * 60_000,
              seed: chaosSeed,
              harmsWorkers: process.env.CHAOS_WORKERS === 'yes',
            },
          },
        },
      },
      {
        // Not tests: `npm run record` writes down a database and answers of this release.
        extends: true,
        test: {
          name: 'record',
          include: ['apps/server/test/recorded/record.ts'],
        },
      },
      {
        // Not tests: `npm run bench:watcher` prints how fast payments are seen, and at what cost.
        extends: true,
        test: {
          name: 'bench',
          include: ['apps/server/test/bench/*.ts'],
          hookTimeout: 600_000,
        },
      },
      {
        // What the guides and the reference say, run as it stands.
        extends: true,
        test: {
          name: 'docs',
          include: ['apps/server/test/docs/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['apps/server/test/browser/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // The driver now and then loses sight of a tab or a frame.
          retry: 1,
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

/** Drawn for each run unless it is set, so that a run can be repeated. */
const chaosSeed = Number(process.env.CHAOS_SEED) || Math.trunc(Math.random() * 1e9)

const excluded = ['**/node_modules/**', 'contracts/out/**', 'contracts/cache/**']
const deep = '**/*.deep.test.ts'

/** Options of every project. A worker keeps the modules it has loaded, so a test must leave no state in its process. */
const shared = {
  isolate: false,
  setupFiles: ['apps/server/test/support/clean-up.ts'],
  expect: { poll: { timeout: 30_000 } },
}

/** The name and files of a suite. The first hook of a run waits for PostgreSQL, so hooks have a minute at least. */
function project(name: string, include: string[], timeoutMs: number, more: object = {}) {
  const timeouts = { testTimeout: timeoutMs, hookTimeout: Math.max(timeoutMs, 60_000) }
  return { test: { ...shared, name, include, exclude: [...excluded, deep], ...timeouts, ...more } }
}

export default defineConfig({
  test: {
    // Most tests wait for a database, a chain or a process: four workers keep two cores busy.
    maxWorkers: 4,
    // Once for the run: projects do not inherit it, but see what it provides.
    globalSetup: ['apps/server/test/support/global-setup.ts'],
    projects: [
      project(
        'unit',
        [
          'packages/**/*.test.ts',
          'apps/*/src/**/*.test.ts',
          'contracts/**/*.test.ts',
          'scripts/**/*.test.ts',
        ],
        10_000,
        { provide: { receiptCount: 20_000 } },
      ),
      project('server', ['apps/server/test/{api,contract,flows,docs,simulate}/**/*.test.ts'], 60_000),
      project('browser', ['apps/server/test/browser/**/*.test.ts'], 60_000),
      project('deep', [deep], 120_000, {
        exclude: excluded,
        provide: { receiptCount: 20_000, chaos: { forMs: 25_000, seed: chaosSeed } },
      }),
      // 1,000,000 random receipts: `npx vitest run --project million`, some minutes.
      project('million', ['apps/server/src/receipts/receipt-money.test.ts'], 600_000, {
        provide: { receiptCount: 1_000_000 },
      }),
      // `npm run chaos`: replicas are harmed for ten minutes or CHAOS_MINUTES.
      project('chaos', ['apps/server/test/flows/faults/chaos.deep.test.ts'], 3_600_000, {
        exclude: excluded,
        provide: {
          chaos: {
            forMs: Number(process.env.CHAOS_MINUTES ?? 10) * 60_000,
            seed: chaosSeed,
          },
        },
      }),
      // Not tests: `npm run record` records a database and responses of this release.
      project('record', ['apps/server/test/recorded/record.ts'], 600_000),
      // Not tests: `npm run bench:watcher`.
      project('bench', ['apps/server/test/bench/*.ts'], 600_000),
    ],
  },
})

import { defineConfig } from 'vitest/config'
import whole from '../../vitest.config.ts'

const { projects: _, ...run } = whole.test ?? {}

const names = process.env.MUTATION_TESTS?.split(',') ?? ['*']
const contract = names.map((name) => `apps/server/test/contract/${name}.test.ts`)

/** One project of the tests that can message a broken rule: Stryker reads the coverage of each test in one run. */
export default defineConfig({
  test: {
    ...run,
    isolate: false,
    setupFiles: ['apps/server/test/support/clean-up.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    provide: { receiptCount: 1_000 },
    include: ['apps/server/src/{access,payments,pricing,receipts,split,webhooks}/**/*.test.ts', ...contract],
  },
})

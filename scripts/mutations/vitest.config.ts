import { defineConfig } from 'vitest/config'
import whole from '../../vitest.config.ts'

const { projects: _, ...run } = whole.test ?? {}

const names = process.env.MUTATION_TESTS?.split(',') ?? ['*']
const contract = names.map((name) => `apps/server/test/contract/${name}.test.ts`)

/**
 * A single project with all tests that can detect a mutant: Stryker reads the coverage of each test from one
 * run.
 */
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

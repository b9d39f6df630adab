import { ApiError } from '../../../src/kernel/api-error.ts'
import type { PageNeeds } from '../../../src/pages/register-pages.ts'

/** Receipts, claims and embedding without content, for tests of other pages. */
export const emptyPages: Pick<PageNeeds, 'receipts' | 'claims' | 'embedding'> = {
  embedding: { findOrigins: async () => [] },
  receipts: { find: refuse, baseUrl: async () => '' },
  claims: {
    find: async () => [],
    make: refuse,
    findCase: refuse,
    chain: { name: 'Base', explorerUrl: 'https://basescan.org' },
  },
}

/** Answers as a service that finds nothing. */
export async function refuse(): Promise<never> {
  throw new ApiError('not_found', 'Receipt not found')
}

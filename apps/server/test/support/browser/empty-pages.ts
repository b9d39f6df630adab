import { ApiError } from '../../../src/kernel/api-error.ts'
import type { PageNeeds } from '../../../src/pages/register-pages.ts'

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

export async function refuse(): Promise<never> {
  throw new ApiError('not_found', 'Receipt not found')
}

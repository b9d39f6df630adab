import { Refusal } from '../../../src/kernel/refusal.ts'
import type { PageNeeds } from '../../../src/pages/register-pages.ts'

/** The pages that a test of others has no use for: nothing is found at them. */
export const emptyPages: Pick<PageNeeds, 'receipts' | 'claims'> = {
  receipts: { find: refuse, baseUrl: async () => '' },
  claims: {
    find: async () => [],
    make: refuse,
    findCase: refuse,
    chain: { name: 'Base', explorerUrl: 'https://basescan.org' },
  },
}

async function refuse(): Promise<never> {
  throw new Refusal('not_found', 'Receipt not found')
}

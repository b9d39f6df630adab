import type { Mutation } from './mutation.ts'

/** What is there so far of sentences that wait for a part. */
export const waitingMutations: readonly Mutation[] = [
  {
    name: "the provider's e-mail is lost",
    in: 'viewDetail',
    find: 'providerEmail: receipt.providerEmail ?? null,',
    replace: 'providerEmail: null,',
    tests: ['post-receipts-body'],
  },
  {
    name: 'every session is unique',
    in: 'enqueueReceiptEvent',
    find: 'isProviderSessionUnique: false,',
    replace: 'isProviderSessionUnique: true,',
    tests: ['webhook-provider'],
  },
  {
    name: 'a session is made up',
    in: 'enqueueReceiptEvent',
    find: 'providerSessionId: null,',
    replace: "providerSessionId: '',",
    tests: ['webhook-provider'],
  },
]

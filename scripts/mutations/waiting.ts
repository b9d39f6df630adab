import type { Mutation } from './mutation.ts'

/** What the provider of card and bank payments brings. */
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
    in: 'viewProviderSession',
    find: 'isProviderSessionUnique: providerSession !== undefined,',
    replace: 'isProviderSessionUnique: true,',
    tests: ['webhook-provider'],
  },
  {
    name: 'a session is made up',
    in: 'viewProviderSession',
    find: 'providerSessionId: providerSession?.sessionId ?? null,',
    replace: "providerSessionId: providerSession?.sessionId ?? '',",
    tests: ['webhook-provider'],
  },
  {
    name: 'a failure of another attempt fails a receipt',
    in: 'judgeSessions',
    find: "(state === 'failed' && attemptId === currentAttempt)",
    replace: "state === 'failed'",
    tests: ['src/payments/cards/judge-sessions', 'test/api/payments/post-onramp-events'],
  },
  {
    name: 'a stale failure counts more than a payment',
    in: 'outranks',
    find: 'if (before !== after) return after > before',
    replace: 'if (before !== after) return true',
    tests: ['test/api/payments/post-onramp-events', 'src/payments/cards/judge-sessions'],
  },
  {
    name: 'what a provider delivers after its word goes to the inbox',
    in: 'isDeliveryDue',
    find: 'providerSession?.isPaid === true',
    replace: 'providerSession?.isPaid === false',
    tests: ['test/flows/payments/pay-by-card'],
  },
]

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
  {
    name: 'a failure that is only said again adds to the history',
    in: 'foldReport',
    find: "isSameVerdict ? 'time' : 'news'",
    replace: "isSameVerdict ? 'news' : 'news'",
    tests: ['test/api/payments/post-onramp-events'],
  },
  {
    name: 'of two failures the one that was said first stands',
    in: 'applyReport',
    find: 'await saveSession(tx, folded.changed, nextLook(needs.clock.now(), folded.changed))',
    replace:
      "if (folded.weight === 'news') await saveSession(tx, folded.changed, nextLook(needs.clock.now(), folded.changed))",
    tests: ['test/api/payments/post-onramp-events'],
  },
  {
    name: 'each call for a card opens another session',
    in: 'findOrInsert',
    beside: 'openSession',
    find: 'if (standing) return standing',
    replace: '',
    tests: ['test/api/payments/post-onramp'],
  },
  {
    name: 'a session whose answer was lost is not found in the list',
    in: 'findPlace',
    find: 'const own = reference === undefined ? undefined : await db.row(byReference({ provider, reference }))',
    replace: 'const own = undefined as SessionPlace | undefined',
    tests: ['test/api/payments/post-onramp-events'],
  },
  {
    name: 'the poller never leaves a session alone',
    in: 'nextLook',
    find: 'if (age >= askedForMs[state]) return undefined',
    replace: '',
    tests: ['test/api/payments/post-onramp', 'test/api/payments/post-onramp-events'],
  },
  {
    name: 'less than what was ordered at Stripe is as good',
    in: 'isAsOrdered',
    find: 'given >= wanted',
    replace: 'given >= 0n',
    tests: ['test/api/onramp/stripe-events'],
  },
  {
    name: "events of Stripe's test world count",
    in: 'reportOf',
    beside: 'readStripeEvent',
    find: '|| livemode !== isLive',
    replace: '',
    tests: ['test/api/onramp/stripe-events'],
  },
]

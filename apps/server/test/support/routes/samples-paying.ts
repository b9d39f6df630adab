import type { Sample } from './route-sample.ts'

/** What buyers, and providers for them, ask of a checkout. */
export const payingSamples: Readonly<Record<string, Sample>> = {
  'GET /api/checkout/{id}': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.paid}?recipient=${t.wallet}`,
    comesTo: 200,
    withId: (id) => `/api/checkout/${id}`,
  },
  'POST /api/checkout/{id}/attempts': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/attempts?recipient=${t.wallet}`,
    body: (t) => ({ token: 'USDC', payer: t.member }),
    comesTo: 201,
    withId: (id) => `/api/checkout/${id}/attempts`,
  },
  'POST /api/checkout/{id}/signature-request': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/signature-request?recipient=${t.wallet}`,
    body: (t) => ({ token: 'USDC', payer: t.member }),
    // Without a relayer nothing can be signed: the answer of the API in these tests.
    comesTo: 400,
    withId: (id) => `/api/checkout/${id}/signature-request`,
  },
  'POST /api/checkout/{id}/signatures': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/signatures?recipient=${t.wallet}`,
    body: (t) => ({
      attemptId: 'attempt',
      authorization: {
        from: t.member,
        to: t.wallet,
        value: '1',
        validAfter: '0',
        validBefore: '1790000000',
        nonce: `0x${'5a'.repeat(32)}`,
      },
      signature: `0x${'1b'.repeat(65)}`,
    }),
    comesTo: 400,
    withId: (id) => `/api/checkout/${id}/signatures`,
  },
  // Nobody takes cards where no provider is set up.
  'POST /api/checkout/{id}/onramp': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/onramp?recipient=${t.wallet}`,
    comesTo: 'never',
    withId: (id) => `/api/checkout/${id}/onramp`,
  },
  'POST /api/onramp/events/{provider}': {
    as: ['nobody'],
    target: () => '/api/onramp/events/paper',
    body: () => ({ id: 'evt_1' }),
    comesTo: 'never',
  },
  'POST /api/checkout/{id}/hint': {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/hint?recipient=${t.wallet}`,
    body: () => ({ transactionHash: `0x${'ab'.repeat(32)}` }),
    comesTo: 200,
    withId: (id) => `/api/checkout/${id}/hint`,
  },
}

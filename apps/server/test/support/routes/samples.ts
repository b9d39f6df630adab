import { about, type Sample, writing } from './route-sample.ts'
import { sellingSamples } from './samples-selling.ts'
import { loginSamples, teamSamples } from './samples-team.ts'

function checkout(action: string, comesTo: Sample['comesTo'], body?: Sample['body']): Sample {
  return {
    as: ['nobody'],
    target: (t) => `/api/checkout/${t.receipts.pending}/${action}?recipient=${t.wallet}`,
    withId: (id) => `/api/checkout/${id}/${action}`,
    comesTo,
    ...(body && { body }),
  }
}

const payingSamples: Readonly<Record<string, Sample>> = {
  'GET /api/checkout/{id}': about('/api/checkout/*', (t) => `${t.receipts.paid}?recipient=${t.wallet}`, [
    'nobody',
  ]),
  'POST /api/checkout/{id}/attempts': checkout('attempts', 201, (t) => ({ token: 'USDC', payer: t.member })),
  // The service in these tests has no relayer, so no payment can be signed.
  'POST /api/checkout/{id}/signature-request': checkout('signature-request', 400, (t) => ({
    token: 'USDC',
    payer: t.member,
  })),
  'POST /api/checkout/{id}/signatures': checkout('signatures', 400, (t) => ({
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
  })),
  // The service has no card provider.
  'POST /api/checkout/{id}/onramp': checkout('onramp', 'never'),
  'POST /api/onramp/events/{provider}': {
    ...writing(['nobody'], '/api/onramp/events/paper', 200, () => ({ id: 'evt_1' })),
    comesTo: 'never',
  },
  'POST /api/checkout/{id}/hint': checkout('hint', 200, () => ({ transactionHash: `0x${'ab'.repeat(32)}` })),
}

/** The samples of every endpoint under `/api`. Each sample can be sent after the ones before it. */
export const samples: Readonly<Record<string, Sample>> = {
  ...payingSamples,
  ...sellingSamples,
  ...teamSamples,
  ...loginSamples,
}

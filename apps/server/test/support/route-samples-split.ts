import { badWallets } from './hostile-texts.ts'
import { both, page, reading, type Sample } from './route-sample.ts'
import type { Tenant } from './tenant.ts'

const recipients = (t: Tenant) => [
  { address: t.wallet, sharesBps: 9_000 },
  { address: t.member, sharesBps: 950 },
]

/** What no list of recipients may have, whatever the types. */
const badRecipients = {
  recipients: { code: 'invalid_input', values: [[], null, {}, 'all'] },
  'recipients/0/address': {
    code: 'invalid_input',
    values: [...badWallets, `0x${'0'.repeat(40)}`],
  },
  'recipients/0/sharesBps': {
    code: 'invalid_input',
    values: [8_999, 9_001, 10_000, 0, -1, 9_000.5, 1e9, '9000', null],
  },
} as const

/** How a split and its versions are used rightly. */
export const splitSamples: Readonly<Record<string, Sample>> = {
  'GET /api/split/deploy': reading('/api/split/deploy'),
  'POST /api/split/deploy': {
    as: ['owner'],
    target: () => '/api/split/deploy',
    body: (t) => ({ recipients: recipients(t), splitAddress: t.splitAddress, salt: `0x${'ab'.repeat(32)}` }),
    comesTo: 200,
  },
  'GET /api/split/transactions': reading('/api/split/transactions', {
    ...page,
    address: badWallets.map(encodeURIComponent),
  }),
  'GET /api/split/versions': reading('/api/split/versions', {
    ...page,
    cursor: ['', '0', '-1', '1e3', '0x1', '1.0', '9'.repeat(19), '%00', 'a'],
  }),
  'POST /api/split/versions/preview': {
    as: ['owner'],
    target: () => '/api/split/versions/preview',
    body: (t) => ({ recipients: recipients(t) }),
    comesTo: 200,
    codes: badRecipients,
  },
  'POST /api/split/versions': {
    as: ['owner'],
    target: () => '/api/split/versions',
    body: (t) => ({ recipients: recipients(t) }),
    comesTo: 201,
    codes: badRecipients,
  },
  'DELETE /api/split/versions/{version}': {
    as: ['owner'],
    target: () => '/api/split/versions/2',
    comesTo: 200,
    withId: (id) => `/api/split/versions/${id}`,
  },
  'POST /api/split/withdraw': { as: both, target: () => '/api/split/withdraw', comesTo: 410 },
  'GET /api/deposits/waiting': reading('/api/deposits/waiting', page, ['operator']),
}

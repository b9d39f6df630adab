import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/chain.ts'
import { recordDistribution } from '../../../src/split/ledger/record-distribution.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import type { Split } from '../../../src/split/split.ts'
import type { SplitEvent } from '../../../src/split/split-event.ts'
import { requestChange } from '../../../src/split/versions/request-change.ts'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { awayChain } from '../../support/api/offline.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { testSplitTerms } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() =>
  startApi({ ...testSplitTerms, chain: (needs) => ({ ...awayChain(needs), tokens }) }),
)
const merchant = perFile(() => api.addMerchant())
const split = perFile(
  async () => (await configureSplit({ ...api.needs, platform }, merchant.wallet, {})).split,
)

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' as Wallet
const tokens = tokenKinds
  .filter(({ symbol }) => symbol === 'USDC' || symbol === 'ETH')
  .map((kind) => ({ ...kind, address: kind.symbol === 'ETH' ? nativeAddress : usdc }))
const platform = { feeBps: 50 as Bps, recipient: randomWallet() }

beforeAll(async () => {
  const distribution: SplitEvent = { kind: 'distributed', total: 1_000_001n, place: place(2) }
  await book(split, usdc, [arrival(1, 1_000_001n), distribution])
  await book(split, nativeAddress, [arrival(3, 10n ** 18n)])
})

const get = (path: string, key = merchant.key) => api.call('GET', path, { key })
const ids = (response: ApiResponse) => response.body.map(({ receiptId }: { receiptId: string }) => receiptId)

describe('GET /api/split/deploy', () => {
  test('without a split has a null address and no recipients', async () => {
    const { key } = await api.addMerchant()
    const response = await get('/api/split/deploy', key)
    const nothing = { version: null, chainId: 31337, deployed: false, pending: null }
    const none = { address: null, recipients: [], ...nothing }
    expect([response.status, response.body]).toEqual([200, { split: none }])
  })

  test('shows address, recipients with the platform among them, and that nothing is deployed yet', async () => {
    const response = await get('/api/split/deploy')
    expect(response.body).toEqual({
      split: {
        address: split.address,
        recipients: [
          { address: merchant.wallet, sharesBps: 9_950 },
          { address: platform.recipient, sharesBps: 50 },
        ],
        version: 1,
        chainId: 31337,
        deployed: false,
        pending: null,
      },
    })
  })

  test('asks for the scope split:read', async () => {
    const { key } = await api.addMerchant({ scopes: ['receipts:read'] })
    expect((await get('/api/split/deploy', key)).status).toBe(403)
    expect((await api.call('GET', '/api/split/deploy')).status).toBe(401)
  })
})

describe('GET /api/split/transactions', () => {
  test("is a bare array, newest first, with the exact amount and the platform's part", async () => {
    const response = await get('/api/split/transactions')
    expect(response.status).toBe(200)
    expect(response.body).toEqual([
      {
        id: `${hash(3)}-0`,
        receiptId: 'receipt-3',
        amount: 1,
        amountRaw: '1000000000000000000',
        currency: 'ETH',
        status: 'pending',
        timestamp: '2026-01-15T12:00:03.000Z',
        transactionHash: hash(3),
        fees: 0.005,
      },
      {
        id: `${hash(1)}-0`,
        receiptId: 'receipt-1',
        amount: 1.000001,
        amountRaw: '1000001',
        currency: 'USDC',
        status: 'distributed',
        timestamp: '2026-01-15T12:00:01.000Z',
        transactionHash: hash(1),
        fees: 0.005,
      },
    ])
  })

  test('pages with a cursor in the header', async () => {
    const first = await get('/api/split/transactions?limit=1')
    const cursor = first.headers.get('x-next-cursor')
    expect(ids(first)).toEqual(['receipt-3'])
    const second = await get(`/api/split/transactions?limit=1&cursor=${cursor}`)
    expect(ids(second)).toEqual(['receipt-1'])
    expect(second.headers.get('x-next-cursor')).toBeNull()
  })

  test('filters by split, by recipient in any case, and knows nothing of strangers', async () => {
    for (const address of [split.address, platform.recipient.toLowerCase(), merchant.wallet])
      expect(ids(await get(`/api/split/transactions?address=${address}`))).toHaveLength(2)
    expect((await get(`/api/split/transactions?address=${randomWallet()}`)).body).toEqual([])
  })

  test('tells the versions of a split apart, and whom each pays', async () => {
    const shop = await api.addMerchant()
    const first = (await configureSplit({ ...api.needs, platform }, shop.wallet, {})).split
    const partner = randomWallet()
    const recipients = [{ address: partner, sharesBps: 9_950 }]
    const needs = { ...api.needs, splits: { platform, changeDelayMs: 0 } }
    const second = (await requestChange(needs, shop.wallet, recipients)).split
    await book(first, usdc, [arrival(1, 5_000_000n)])
    await book(second, usdc, [arrival(3, 7_000_000n)])
    const at = async (address: string) =>
      ids(await get(`/api/split/transactions?address=${address}`, shop.key))
    expect(await at(first.address)).toEqual(['receipt-1'])
    expect(await at(second.address)).toEqual(['receipt-3'])
    expect(await at(shop.wallet)).toEqual(['receipt-1'])
    expect(await at(partner)).toEqual(['receipt-3'])
    expect(await at(platform.recipient)).toEqual(['receipt-3', 'receipt-1'])
  })

  const badPages = ['limit=0', 'limit=201', 'limit=-1', 'limit=1e2', 'cursor=zzz']
  test.each(['address=0x12', 'address=', ...badPages])('refuses %s', async (query) => {
    expectApiError(await get(`/api/split/transactions?${query}`), 400, 'invalid_input')
  })

  test('shows nothing of another merchant', async () => {
    const { key } = await api.addMerchant()
    expect((await get(`/api/split/transactions?address=${split.address}`, key)).body).toEqual([])
  })
})

describe('POST /api/split/withdraw', () => {
  const message = expect.stringContaining('release')
  const gone = { error: 'deprecated', reason: 'use_connected_wallet', message }

  test('is 410 with exactly error, reason and message for any key, whatever its scopes', async () => {
    const { key } = await api.addMerchant({ scopes: ['shop:read'] })
    for (const body of [{}, { amount: 5 }]) {
      const response = await api.call('POST', '/api/split/withdraw', { key, body })
      expect([response.status, response.body]).toEqual([410, gone])
    }
  })

  test('is 410 for a session in any role', async () => {
    for (const role of ['admin', 'developer', 'cashier', 'viewer'] as const) {
      const session = await logInAs(api, merchant.wallet, role)
      const response = await api.call('POST', '/api/split/withdraw', { session, body: {} })
      expect([role, response.status, response.body]).toEqual([role, 410, gone])
    }
  })

  test('is 401 without a key or a session, and with a wrong key', async () => {
    for (const key of [undefined, 'sk_test_wrong']) {
      expectApiError(await api.call('POST', '/api/split/withdraw', { key, body: {} }), 401, 'unauthorized')
    }
  })

  test('is 403 for a session without its CSRF token', async () => {
    const session = { ...(await logIn(api, merchant)), csrfToken: 'wrong' }
    expect((await api.call('POST', '/api/split/withdraw', { session, body: {} })).status).toBe(403)
  })
})

function hash(block: number): Hex {
  return `0x${block.toString(16).padStart(64, '0')}`
}

function place(block: number) {
  const at = (Date.UTC(2026, 0, 15, 12) + block * 1_000) as UnixMs
  return { blockNumber: BigInt(block), blockHash: hash(block), at, transactionHash: hash(block), logIndex: 0 }
}

function arrival(block: number, amount: bigint): SplitEvent {
  const reference = hash(block)
  return { kind: 'arrived', how: 'call', amount, reference, deposit: undefined, place: place(block) }
}

async function book(into: Split, token: Wallet, events: SplitEvent[]): Promise<void> {
  const receipts = new Map([1, 3].map((block) => [hash(block), `receipt-${block}`] as const))
  await api.needs.db.transaction((tx) => recordDistribution(tx, into, token, events, receipts))
}

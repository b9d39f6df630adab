import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { recordWaiting } from '../../../src/payments/sweeping/waiting-store.ts'
import { followPages } from '../../support/api/call-api.ts'
import { logIn, logInAs, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const operatorWallet = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operatorWallet.wallet] }))
const merchant = perFile(() => api.addMerchant())
const operator = perFile(() => logIn(api, operatorWallet))

beforeAll(async () => {
  for (const receiptId of ['one', 'two', 'three:and~more']) {
    const paid = { merchant: merchant.wallet, receiptId, token: nativeAddress, blockNumber: 7n }
    const deposit = { ...paid, waitingSince: undefined }
    await recordWaiting(api.needs.db, 31337, deposit, 1_500_000_000_000n, api.clock.now() as UnixMs)
  }
})

const get = (query = '', session: TestSession | undefined = operator) =>
  api.call('GET', `/api/deposits/waiting${query}`, { session })

describe('GET /api/deposits/waiting', () => {
  test('lists for the operator what waits, of all merchants', async () => {
    const response = await get()
    expect([response.status, response.body.nextCursor, response.body.deposits.length]).toEqual([200, null, 3])
    expect(response.body.deposits[0]).toEqual({
      merchantWallet: merchant.wallet,
      receiptId: 'one',
      currency: 'ETH',
      amount: 0.0000015,
      amountRaw: '1500000000000',
      since: api.clock.now(),
      lookAt: api.clock.now() + 60_000,
    })
  })

  test('pages follow each other without a gap, and a bad page is 400', async () => {
    const pages = await followPages((more) => get(`?limit=1${more}`))
    const seen = pages.flatMap(({ deposits }) =>
      deposits.map((each: { receiptId: string }) => each.receiptId),
    )
    expect(seen).toEqual(['one', 'three:and~more', 'two'])
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=x', '?cursor='])
      expect((await get(query)).body.error, query).toBe('invalid_input')
  })

  test('shows a merchant what is theirs, page by page, and another nothing of it', async () => {
    const other = await api.addMerchant()
    const theirs = { merchant: other.wallet, receiptId: 'other', token: nativeAddress, blockNumber: 7n }
    const now = api.clock.now() as UnixMs
    await recordWaiting(api.needs.db, 31337, { ...theirs, waitingSince: undefined }, 5n, now)
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      const session = await logInAs(api, merchant.wallet, role)
      const pages = await followPages((more) => get(`?limit=2${more}`, session))
      const seen = pages.flatMap(({ deposits }) =>
        deposits.map((each: { receiptId: string }) => each.receiptId),
      )
      expect(seen, role).toEqual(['one', 'three:and~more', 'two'])
    }
    const { deposits } = (await get('', await logIn(api, other))).body
    expect(deposits.map((each: { receiptId: string }) => each.receiptId)).toEqual(['other'])
  })

  test('is nothing for cashiers, keys or strangers', async () => {
    expect((await get('', await logInAs(api, merchant.wallet, 'cashier'))).status).toBe(403)
    expect((await api.call('GET', '/api/deposits/waiting', { key: merchant.key })).status).toBe(403)
    expect((await api.call('GET', '/api/deposits/waiting')).status).toBe(401)
  })
})

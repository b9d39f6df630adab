import { parseWallet } from '@sluice/protocol/wallet.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors } from '../support/api/expect-errors.ts'
import { contractPlatform, startMerchantApi } from '../support/api/merchant-api.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
const split = perFile(() => context.addSplit(context.merchant.wallet))

row('split.address', "is the contract's checksummed address, or null without a split", async () => {
  const { address } = (await context.get('/api/split/deploy')).body.split
  expect(address).toBe(split.address)
  expect(parseWallet(address)).toBe(address)
  const { key } = await context.addMerchant()
  expect((await context.get('/api/split/deploy', { key })).body.split.address).toBeNull()
})

row(
  'split.recipients',
  'contains wallets with shares that add up to 10000, and is empty without a split',
  async () => {
    expect((await context.get('/api/split/deploy')).body.split.recipients).toEqual([
      { address: context.merchant.wallet, sharesBps: 9950 },
      { address: contractPlatform.recipient, sharesBps: 50 },
    ])
    const { key } = await context.addMerchant()
    expect((await context.get('/api/split/deploy', { key })).body.split.recipients).toEqual([])
  },
)

row('get-split-deploy.answer', 'returns the split, for a key and for a session', async () => {
  for (const options of [{}, { key: undefined, session: context.owner }]) {
    const response = await context.get('/api/split/deploy', options)
    expect(response.status).toBe(200)
    expect(response.body.split).toMatchObject({ address: split.address, version: 1, deployed: true })
  }
})

row('get-split-deploy.unconfigured', 'returns 200 with a null address and no recipients', async () => {
  const { key } = await context.addMerchant()
  const response = await context.get('/api/split/deploy', { key })
  expect(response.status).toBe(200)
  expect(response.body.split).toMatchObject({ address: null, recipients: [] })
})

row('get-split-deploy.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path: '/api/split/deploy', table: 'split' }, 'split:read'),
)

row('get-split-transactions.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path: '/api/split/transactions', table: 'split' }, 'split:read'),
)

row('post-split-withdraw.410', 'reports the deprecation and the alternative', async () => {
  for (const options of [{}, { key: undefined, session: context.owner }]) {
    const response = await context.post('/api/split/withdraw', {}, options)
    expect(response.status).toBe(410)
    expect(response.body).toEqual({
      error: 'deprecated',
      reason: 'use_connected_wallet',
      message: expect.stringContaining('release'),
    })
  }
  expectError(await context.call('POST', '/api/split/withdraw', { body: {} }), 401, 'unauthorized')
})

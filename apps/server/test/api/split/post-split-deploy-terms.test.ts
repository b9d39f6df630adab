import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import { type ApiOptions, startApi, type TestApi } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { testSplitTerms } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const operator = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operator.wallet], ...testSplitTerms }))
const under = (terms: ApiOptions) => perFile(() => startApi({ beside: api, ...testSplitTerms, ...terms }))
const withoutWallet = under({ platformRecipient: undefined })
const withoutFee = under({ platformFeeBps: 0, platformRecipient: undefined })
const deploying = under({ deployerKey: `0x${'d1'.repeat(32)}` })

async function deployAt(at: TestApi, body: object) {
  const merchant = await at.addMerchant()
  const session = await logIn(at, merchant)
  const response = await at.call('POST', '/api/split/deploy', { session, body })
  const { split } = (await at.call('GET', '/api/split/deploy', { key: merchant.key })).body
  return { merchant, response, split }
}

describe('POST /api/split/deploy while the chain is away', () => {
  test('cannot judge a pre-deployed contract: 503 chain_unavailable, and nothing is changed', async () => {
    const { response, split } = await deployAt(api, { splitAddress: randomWallet() })
    expectApiError(response, 503, 'chain_unavailable')
    expect(split).toMatchObject({ address: null, recipients: [] })
  })

  test('gives a split all the same where none has to be looked at', async () => {
    const { response, split } = await deployAt(api, {})
    expect([response.status, response.body.split]).toEqual([200, split])
  })
})

describe("the platform's share", () => {
  test('without a wallet to take it is 400 platform_recipient_not_configured, and nothing is changed', async () => {
    for (const body of [{}, { recipients: [{ address: randomWallet(), sharesBps: 9_950 }] }]) {
      const { response, split } = await deployAt(withoutWallet, body)
      expectApiError(response, 400, 'platform_recipient_not_configured')
      expect(split.address).toBeNull()
    }
  })

  test('of nothing has no row and needs no wallet', async () => {
    const { response, merchant } = await deployAt(withoutFee, {})
    expect(response.body.split.recipients).toEqual([{ address: merchant.wallet, sharesBps: 10_000 }])
  })
})

test('a service that deploys by itself leaves nothing to the wallet', async () => {
  const { response } = await deployAt(deploying, {})
  expect([response.status, Object.keys(response.body)]).toEqual([200, ['ok', 'split']])
})

test('an operator acts for no merchant: 400 wallet_required', async () => {
  const session = await logIn(api, operator)
  expectApiError(await api.call('POST', '/api/split/deploy', { session, body: {} }), 400, 'wallet_required')
})

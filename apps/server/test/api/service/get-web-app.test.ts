import { expect, test } from 'vitest'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)

test('everybody is told the chain with its tokens, the fee, and how wallets are connected', async () => {
  const { status, body } = await api.call('GET', '/api/web-app')
  expect(status).toBe(200)
  expect(body.chain).toMatchObject({
    name: expect.any(String),
    use: expect.stringMatching(/^(live|test|local)$/),
  })
  expect(body.chain.tokens).toContainEqual({ symbol: 'ETH', decimals: 18, address: null })
  for (const { symbol, address } of body.chain.tokens)
    if (symbol !== body.chain.nativeToken) expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(body.platformFee.bps).toEqual(expect.any(Number))
  expect(body.walletConnect).toBe(null)
  expect(body.demoWallet).toBe(null)
})

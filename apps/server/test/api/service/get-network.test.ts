import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { perFile } from '../../support/per-file.ts'
import { startApi } from '../../support/worlds/start-api.ts'

const api = perFile(startApi)

test('200: anybody gets the chain and the exact contract and decimals of each token', async () => {
  const { status, body } = await api.call('GET', '/api/network')
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: expect.any(Number), name: expect.any(String), use: expect.any(String) })
  expect(Object.keys(body)).toEqual(['id', 'name', 'use', 'explorerUrl', 'tokens'])
  const native = body.tokens.find(({ symbol }: { symbol: string }) => symbol === 'ETH')
  expect(native).toEqual({
    symbol: 'ETH',
    name: expect.any(String),
    decimals: 18,
    address: nativeAddress,
    isStablecoin: false,
  })
  for (const token of body.tokens) expect(token.address).toMatch(/^0x[0-9a-fA-F]{40}$/)
})

test('404 for other methods', async () => {
  expect((await api.call('POST', '/api/network', { body: {} })).status).toBe(404)
})

import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { startTestChain } from '../../test/support/chain/test-chain.ts'
import { perFile } from '../../test/support/per-file.ts'
import { deployContracts, localContracts } from './deploy-contracts.ts'

const chain = perFile(() => startTestChain({ blockTime: 'manual' }))

test('factory, tokens and Multicall3 stand where they are said to stand', async () => {
  const { factory, tokens } = localContracts()
  const multicall = '0xcA11bde05977b3631167028862bE2a173976CA11' as const
  for (const address of [factory, ...Object.values(tokens), multicall])
    expect(await chain.client.getCode({ address }), address).toBeDefined()
})

test('deploying again sends nothing', async () => {
  const before = await chain.client.getBlockNumber()
  expect(await deployContracts(chain.client)).toEqual(chain.contracts)
  expect(await chain.client.getBlockNumber()).toBe(before)
})

test('a funded wallet has ether and every token, and is not funded twice', async () => {
  const wallet = chain.accounts[4]?.address
  if (!wallet) throw new Error('there are five accounts')
  await chain.fund(wallet)
  const block = await chain.client.getBlockNumber()
  await chain.fund(wallet)
  expect(await chain.client.getBlockNumber()).toBe(block)
  expect(getAddress(wallet)).toBe(wallet)
})

import { parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startTestChain } from '../../test/support/chain/test-chain.ts'
import { perFile } from '../../test/support/per-file.ts'
import { makeTemporaryFolder } from '../../test/support/programs/temporary-folder.ts'
import { launchAnvil } from './anvil.ts'

const chain = perFile(() => startTestChain({ blockTime: 'manual', slotsInAnEpoch: 2 }))

async function pay() {
  const [from, to] = chain.accounts
  if (!from || !to) throw new Error('there are five accounts')
  const account = privateKeyToAccount(from.privateKey)
  const payment = { account, to: to.address, value: parseEther('1') }
  const request = await chain.client.prepareTransactionRequest(payment)
  const raw = await chain.client.signTransaction({ ...request, account })
  const hash = await chain.client.sendRawTransaction({ serializedTransaction: raw })
  await chain.mine()
  return { hash, raw, mined: await chain.client.getTransactionReceipt({ hash }) }
}

test('nothing is mined unasked', async () => {
  const before = await chain.client.getBlockNumber()
  await chain.mine(3)
  expect(await chain.client.getBlockNumber()).toBe(before + 3n)
})

test('safe follows the head by an epoch, finalized by two', async () => {
  await chain.mine(8)
  const { number: head } = await chain.client.getBlock()
  expect((await chain.client.getBlock({ blockTag: 'safe' })).number).toBe(head - 2n)
  expect((await chain.client.getBlock({ blockTag: 'finalized' })).number).toBe(head - 4n)
})

test('a reorg drops a transaction', async () => {
  const { hash, mined } = await pay()
  await chain.reorg(1)
  expect((await chain.client.getBlock({ blockNumber: mined.blockNumber })).hash).not.toBe(mined.blockHash)
  await expect(chain.client.getTransactionReceipt({ hash })).rejects.toThrow()
})

test('a reorg moves a transaction to a later block', async () => {
  const { hash, raw, mined } = await pay()
  await chain.mine(2)
  await chain.reorg(3, [{ raw, offset: 1 }])
  const moved = await chain.client.getTransactionReceipt({ hash })
  expect(moved.blockNumber).toBe(mined.blockNumber + 1n)
  expect(moved.blockHash).not.toBe(mined.blockHash)
})

test('an anvil whose port another one has got does not take that one for itself', async () => {
  const folder = await makeTemporaryFolder('anvil')
  const port = Number(new URL(chain.rpcUrl).port)
  const launching = launchAnvil({ port, folder: folder.path, slotsInAnEpoch: 1 })
  await expect(launching).rejects.toThrow(/address already in use/i)
  await folder.remove()
})

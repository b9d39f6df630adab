import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startTestChain } from '../../test/support/chain/test-chain.ts'
import { perFile } from '../../test/support/per-file.ts'
import { isWhole } from './start-chain.ts'

const chain = perFile(startTestChain)

test('a dump is kept only where its accounts, blocks and transactions are of one moment', async () => {
  const before = await dump()
  const account = chain.accounts[0]?.address
  if (!account) throw new Error('the chain has no account')
  await chain.client.sendTransaction({ account, chain: null, to: account, value: 1n })
  await chain.mine()
  const after = await dump()

  expect(isWhole(before)).toBe(true)
  expect(isWhole(after)).toBe(true)
  expect(isWhole({ ...before, accounts: after.accounts })).toBe(false)
  expect(isWhole({ ...after, accounts: before.accounts })).toBe(false)
  expect(isWhole({ ...after, transactions: before.transactions })).toBe(false)
  expect(isWhole({ ...after, blocks: before.blocks })).toBe(false)
})

async function dump(): Promise<Parameters<typeof isWhole>[0]> {
  const request = chain.client.request as (call: object) => Promise<unknown>
  const packed = Buffer.from(String(await request({ method: 'anvil_dumpState' })).slice(2), 'hex')
  return JSON.parse(gunzipSync(packed).toString())
}

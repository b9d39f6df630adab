import { expect, test } from 'vitest'
import { localContracts } from '../../src/local/deploy-contracts.ts'
import { startTestChain } from '../support/chain/test-chain.ts'
import { testSeed } from '../support/test-random.ts'
import { simulate } from './simulation.ts'

const seed = testSeed()

test(`two runs of a sale with the same seed do the same in the same order (seed ${seed})`, async () => {
  const node = await startTestChain()
  const code = await node.client.getCode({ address: localContracts().factory }).finally(node.stop)
  if (!code) throw new Error('the factory stands')
  const first = await simulate(seed, code)
  const second = await simulate(seed, code)
  const i = first.lines.findIndex((line, at) => line !== second.lines[at])
  expect(second.lines.slice(i, i + 1)).toEqual(first.lines.slice(i, i + 1))
  expect(second.hash).toBe(first.hash)
  const { paid, released, inSplit } = first.units
  expect([paid, released + inSplit]).toEqual([25_000_000n, 25_000_000n])
  // The split keeps one unit when a distribution would leave nothing.
  expect(inSplit).toBe(1n)
  expect((await simulate(seed + 1, code)).hash).not.toBe(first.hash)
})

import { expect, test } from 'vitest'
import { runSimulations } from './run-simulations.ts'

test('a thousand seeds break no promise', async () => {
  const { code, output } = await runSimulations('--seeds', '1000', '--from', '100001')
  expect(code, output).toBe(0)
  // Takes both processors for more than six minutes, while other tests run.
}, 1_800_000)

test('seeds that once broke a promise break none', async () => {
  const { code, output } = await runSimulations('--regressions')
  expect(code, output).toBe(0)
}, 600_000)

test('two runs of a seed do the same in the same order', async () => {
  const runs = [await runSimulations('--seed', '7'), await runSimulations('--seed', '7')]
  const hashes = runs.map(({ output }) => /trace ([0-9a-f]{16})/.exec(output)?.[1])
  expect(hashes[0]).toBeDefined()
  expect(hashes[1]).toBe(hashes[0])
}, 300_000)

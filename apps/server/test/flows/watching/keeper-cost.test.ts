import { afterAll, beforeAll, expect, test } from 'vitest'
import { beforeFirstDeposit, listUnswept } from '../../../src/payments/sweeping/store.ts'
import { findWaiting } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { deploySplit, openTestAttempt, payAttempt } from '../../support/chain/pay-attempt.ts'
import { farAwayMs, resetTally, slowChain } from '../../support/chain/slow-chain.ts'
import { type ChainApi, startChainApi } from '../../support/worlds/chain-api.ts'

let bench: ChainApi
let delayMs = 0
const slow = slowChain(() => delayMs)

beforeAll(async () => {
  bench = await startChainApi({ outbound: slow.over })
})
afterAll(() => bench?.stop())

async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  resetTally(slow.tally)
  delayMs = farAwayMs
  await work().finally(() => {
    delayMs = 0
  })
  return slow.tally.requests
}

test('what forty deposits hold, and the books of forty blocks, are read in a handful of requests', async () => {
  const split = await deploySplit(bench)
  const { needs, node } = bench
  await bench.run('scan-transfers')
  const deposits = 40
  for (let i = 0; i < deposits; i++) {
    const attempt = await openTestAttempt(bench, split.merchant, 'ETH')
    await payAttempt(bench, attempt, i % 2 === 0 ? 'deposit' : 'call')
    await payAttempt(bench, attempt, 'deposit', 1n)
  }
  await node.mine(4)
  await bench.run('scan-transfers')

  const unswept = await listUnswept(needs.db, node.chainId, bench.clock.now(), beforeFirstDeposit, 300)
  expect(unswept).toHaveLength(deposits)
  const found: unknown[] = []
  expect(await requestsOf(async () => found.push(...(await findWaiting(needs, unswept))))).toBeLessThan(5)
  expect(found).toHaveLength(deposits)
  expect(await requestsOf(() => bench.run('scan-distributions'))).toBeLessThan(15)
})

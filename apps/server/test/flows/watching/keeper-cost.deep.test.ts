import { expect, test } from 'vitest'
import { beforeFirstDeposit, listUnswept } from '../../../src/payments/sweeping/store.ts'
import { findWaiting } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startChainApi } from '../../support/chain/chain-api.ts'
import { farChain, resetCounts } from '../../support/chain/endpoints.ts'
import { deploySplit, openTestAttempt, payAttempt } from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

const far = farChain()
const bench = perFile(() => startChainApi({ outbound: far.over }))

async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  resetCounts(far.counts)
  await far.whileFar(work)
  return far.counts.requests
}

test('what forty deposits hold, and the books of forty blocks, are read in a handful of requests', async () => {
  const split = await deploySplit(bench)
  const { needs, node } = bench
  await bench.run(jobNames.scanTransfers)
  const deposits = 40
  for (let i = 0; i < deposits; i++) {
    const attempt = await openTestAttempt(bench, split.merchant, 'ETH')
    await payAttempt(bench, attempt, i % 2 === 0 ? 'deposit' : 'call')
    await payAttempt(bench, attempt, 'deposit', 1n)
  }
  await node.mine(4)
  await bench.run(jobNames.scanTransfers)

  const unswept = await listUnswept(
    needs.db,
    node.chainId,
    bench.clock.now(),
    [split.merchant],
    beforeFirstDeposit,
    300,
  )
  expect(unswept).toHaveLength(deposits)
  const found: unknown[] = []
  expect(await requestsOf(async () => found.push(...(await findWaiting(needs, unswept))))).toBeLessThan(5)
  expect(found).toHaveLength(deposits)
  expect(await requestsOf(() => bench.run(jobNames.scanDistributions))).toBeLessThan(15)
})

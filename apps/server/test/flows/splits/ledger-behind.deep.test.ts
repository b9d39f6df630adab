import { expect, test } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { saveReceivedAfter, saveSettlements } from '../../../src/split/ledger/store.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { deploySplit, startKeeper } from '../../support/chain/keeper.ts'
import { countRepeated } from '../../support/database/repeated-values.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

/** Number of blocks that one round reads. */
const blocksPerRound = 1_000
/** Maximum length of a deposit list; the test makes longer lists time out. */
const mostArrivals = 2

const bench = perFile(() => startKeeper({ outbound: farChain().over }))

test('books that were left behind catch up by portions that are kept, and by smaller ones where those take too long', async () => {
  const split = await deploySplit(bench)
  const token = bench.tokenAddress('USDC')
  const pay = async () => {
    await bench.transfer(token, split.address, 1_000n)
    await bench.node.mine(1)
  }
  let isBroken = true
  const db = wrapDatabase(bench.needs.db, ({ name, values = [] }, run) => {
    const lengths = values.map((value) => (Array.isArray(value) ? value.length : 0))
    const isTooMuch = name === 'insert-split-arrivals' && (isBroken || Math.max(...lengths) > mostArrivals)
    if (!isTooMuch || !values.flat().includes(split.merchant)) return run()
    throw asOutage(Object.assign(new Error('it took too long'), { code: '57014' }))
  })
  const spans: number[] = []
  const chain: Chain = {
    ...bench.needs.chain,
    readLogsOfAll(filters) {
      for (const { from, to } of filters) spans.push(Number(to - from) + 1)
      return bench.needs.chain.readLogsOfAll(filters)
    },
  }
  const job = bench.job(jobNames.scanDistributions, { db, chain })
  const scan = async (blockCount: number) => {
    await bench.node.mine(blockCount)
    await runToRest(job)
  }
  const received = async () => (await bench.ledgerOf(split, token))?.received ?? 0n
  const defer = async () =>
    (await listAllDeferred(bench.needs.db, 100)).filter(({ merchant }) => merchant === split.merchant)

  await scan(4)
  await pay()
  await scan(4)
  expect(await defer()).toMatchObject([{ merchant: split.merchant, kind: 'took_too_long' }])
  for (let i = 0; i < 6; i++) await pay()
  await bench.node.mine(blocksPerRound + 100)
  await pay()
  await scan(4)
  expect(await received()).toBe(0n)

  isBroken = false
  spans.length = 0
  const heights = new Set<unknown>()
  for (let round = 0; round < 200 && (await defer()).length > 0; round++) {
    for (const { above } of await bench.rows<{ above: bigint }>(
      `SELECT above FROM deferred_ledger WHERE merchant = '${split.merchant}'`,
    ))
      heights.add(above)
    if ((await job.run(new AbortController().signal)) !== 'again') await bench.clock.advance(3_600_000)
  }
  expect(heights.size).toBeGreaterThan(3)
  expect(await defer()).toEqual([])
  expect(await received()).toBe(8_000n)
  expect(Math.max(...spans)).toBeLessThanOrEqual(blocksPerRound)
  const arrivals = `SELECT FROM split_arrival WHERE merchant = '${split.merchant}' AND orphaned_at IS NULL`
  expect(await bench.rows(arrivals)).toHaveLength(8)
})

test('books of thousands of arrivals are written without going over all of them for each', async () => {
  const merchant = randomWallet()
  const key = { merchant, chain: bench.needs.chain.id, split: randomWallet(), token: randomWallet() }
  let repeatedCount = 0
  const db = wrapDatabase(bench.needs.db, (statement, run) => {
    repeatedCount += countRepeated(statement)
    return run()
  })
  const txHash = (i: number) => `0x${i.toString(16).padStart(64, '0')}` as const
  const arrivals = Array.from({ length: 3 }, (_, i) => {
    return { amount: 1n, receivedAfter: BigInt(i), transactionHash: txHash(i), logIndex: i }
  })
  const by = {
    transactionHash: txHash(9),
    logIndex: 9,
    blockNumber: 9n,
    blockHash: txHash(9),
    at: bench.clock.now(),
  }
  await saveReceivedAfter(db, key, arrivals)
  await saveSettlements(
    db,
    key,
    arrivals.map((arrival) => ({ arrival, by, held: [] })),
  )
  expect(repeatedCount).toBe(0)
})

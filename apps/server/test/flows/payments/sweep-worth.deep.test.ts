import { fastify } from 'fastify'
import { type Hex, parseGwei } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { addMetrics, openMetrics } from '../../../src/app/probes/metrics.ts'
import { readDataFee } from '../../../src/chain/chain.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { deploySplit, openTestAttempt, payAttempt, startKeeper } from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

// A receipt for 10 dollars equals 0.004 ETH. The estimates are 60,000 gas for a sweep and 30,000 for its
// transaction.
const oracle: Hex = '0x420000000000000000000000000000000000000F'
const bench = perFile(startKeeper)
const fees = perFile(() => bench.needs.chain.readFees())

afterEach(async () => {
  await bench.node.client.setCode({ address: oracle, bytecode: '0x' })
  await gasAt('1')
  await sweepAfter(3_600_000)
  await bench.node.mine(4)
  await bench.run(jobNames.settleTransactions, jobNames.scanDistributions)
})

const sweep = () =>
  runToRest(bench.job(jobNames.sweepDeposits, { chain: { ...bench.needs.chain, isGasFree: false } }))

async function sweepAfter(ms: number): Promise<void> {
  await bench.clock.advance(ms)
  await sweep()
}

async function sweepAt(gwei: string): Promise<void> {
  await gasAt(gwei)
  await sweep()
}

/** Mines a block in which gas costs this much, including the tip. */
async function gasAt(gwei: string): Promise<void> {
  const baseFeePerGas = parseGwei(gwei) - fees.maxPriorityFeePerGas
  const positive = baseFeePerGas > 0n ? baseFeePerGas : 1n
  await bench.node.client.setNextBlockBaseFeePerGas({ baseFeePerGas: positive })
  await bench.node.mine()
}

async function deposit(attempt?: Attempt): Promise<Attempt> {
  const paid = attempt ?? (await openTestAttempt(bench, (await deploySplit(bench)).merchant, 'USDC'))
  await bench.node.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
  await payAttempt(bench, paid, 'deposit')
  await bench.run(jobNames.scanTransfers)
  return paid
}

const sentFor = (...attempts: readonly Attempt[]) =>
  bench.countSent('sweep', ...attempts.map(({ reference }) => reference))
const waiting = async () =>
  (await bench.rows<{ id: string }>('SELECT receipt_id AS id FROM sweep_waiting')).map(({ id }) => id)

test('one merchant’s deposit that cannot be noted keeps no other from being noted, and is noted once it can be', async () => {
  const [stuck, good] = [await deposit(), await deposit()]
  const poison = `ALTER TABLE sweep_waiting ADD CONSTRAINT poison CHECK (receipt_id <> '${stuck.receiptId}')`
  await bench.rows(poison)
  await sweepAt('80')
  expect(await waiting()).toEqual([good.receiptId])
  const reason = expect.stringContaining('"poison')
  const deferred = { job: 'sweep-deposits', merchant: stuck.merchant, reason }
  expect(await listAllDeferred(bench.needs.db, 100)).toMatchObject([deferred])
  await bench.rows('ALTER TABLE sweep_waiting DROP CONSTRAINT poison')
  await sweepAfter(60_000)
  expect((await waiting()).toSorted()).toEqual([stuck.receiptId, good.receiptId].toSorted())
  expect(await listAllDeferred(bench.needs.db, 100)).toEqual([])
})

describe('a deposit', () => {
  test('worth less than its sweep waits, is counted among those that do, and goes when gas is cheap', async () => {
    const attempt = await deposit()
    await sweepAt('50')
    expect([await sentFor(attempt), await waiting()]).toEqual([0, [attempt.receiptId]])
    expect(await readMetric()).toBe(1)

    await sweepAt('40')
    expect(await sentFor(attempt)).toBe(0)
    await sweepAfter(60_000)
    expect([await sentFor(attempt), await waiting()]).toEqual([1, []])
    expect(await readMetric()).toBe(0)
  })

  test('worth its sweep goes at once', async () => {
    const attempt = await deposit()
    await sweepAt('40')
    expect([await sentFor(attempt), await waiting()]).toEqual([1, []])
  })

  test('goes with another in one transaction that neither was worth alone', async () => {
    // All waiting deposits are evaluated together on each full minute. Both deposits must fall between two of
    // them.
    await bench.clock.advance(60_000 - (bench.clock.now() % 60_000))
    const first = await deposit()
    await sweepAt('50')
    await bench.clock.advance(1_000)
    const second = await deposit()
    await sweepAt('50')
    expect([await sentFor(first), await sentFor(second)]).toEqual([0, 0])
    await sweepAfter(60_000)
    expect([await sentFor(first), await sentFor(second), await waiting()]).toEqual([1, 1, []])
    expect(await sentFor(first, second)).toBe(1)
  })

  test('that more comes to is looked at again at once', async () => {
    const attempt = await deposit()
    await sweepAt('50')
    expect(await waiting()).toEqual([attempt.receiptId])
    await deposit(attempt)
    await sweepAt('50')
    expect([await sentFor(attempt), await waiting()]).toEqual([1, []])
  })

  test('has to be worth its data on the chain below as well', async () => {
    const attempt = await deposit()
    // This code returns 1.5e13 wei per byte, which makes 0.00444 ETH for a sweep.
    await bench.node.client.setCode({ address: oracle, bytecode: '0x600435650da475abf000025f5260205ff3' })
    expect(await readDataFee(bench.needs.chain, 200)).toBe(3_000_000_000_000_000n)
    await sweepAt('1')
    expect([await sentFor(attempt), await waiting()]).toEqual([0, [attempt.receiptId]])
    await bench.node.client.setCode({ address: oracle, bytecode: '0x' })
    expect(await readDataFee(bench.needs.chain, 200)).toBe(0n)
    await sweepAfter(60_000)
    expect([await sentFor(attempt), await waiting()]).toEqual([1, []])
  })

  test('is looked at ever more seldom while it waits', async () => {
    await deposit()
    await sweepAt('50')
    const pauses: number[] = []
    for (let look = 0; look < 30; look++) {
      const [row] = await bench.rows<{ look_at: bigint }>('SELECT look_at FROM sweep_waiting')
      const pause = Number(row?.look_at) - bench.clock.now()
      pauses.push(pause)
      await sweepAfter(pause)
    }
    expect(Math.max(...pauses.slice(0, 5))).toBeLessThanOrEqual(60_000)
    expect(pauses.at(-1)).toBe(3_600_000)
  })
})

async function readMetric(): Promise<number> {
  const app = fastify()
  addMetrics(app, openMetrics({ ...bench.needs, journal: { pendingCount: 0 }, relayer: undefined }))
  const { body } = await app.inject({ url: '/metrics' })
  await app.close()
  return Number(/^sluice_deposits_waiting (\d+)$/m.exec(body)?.[1])
}

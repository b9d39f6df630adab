import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import type { TransactionOrder } from '../../../src/chain/transactions/transaction.ts'
import { assert } from '../../../src/kernel/assert.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { catchUpLedgers } from '../../../src/payments/distributions/catch-up-ledger.ts'
import { scanRange } from '../../../src/payments/distributions/scan-distributions.ts'
import { beforeFirstDeposit, listUnswept } from '../../../src/payments/sweeping/store.ts'
import { findWaiting, sweepOrder } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { distributeOrder } from '../../../src/split/distributing/distribute-call.ts'
import { findDistributionCursor } from '../../../src/split/ledger/cursor-store.ts'
import type { Split } from '../../../src/split/split.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { deploySplit, drive, keeperJobs, payAttempt, startKeeper } from '../../support/chain/keeper.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { recordUnsent } from './record-unsent.ts'

const bench = perFile(startKeeper)

const driveOn = (isDone: () => Promise<boolean>) =>
  drive(bench, isDone, () => keeperJobs(bench, { holder: `process-${++starts}` }))
let starts = 0

const writeAndDie = (order: TransactionOrder) => recordUnsent(bench.needs, bench.keeper, order)

async function paidToDeposit(): Promise<{ split: Split; attempt: Attempt }> {
  const split = await deploySplit(bench)
  const attempt = await bench.pay(split, 'ETH', 'deposit')
  await bench.run(jobNames.scanTransfers)
  return { split, attempt }
}

const moments = ['signed', 'sent'] as const

describe('a keeper killed', () => {
  test.each(moments)('when a sweep was %s and not noted sweeps once', async (moment) => {
    const { split, attempt } = await paidToDeposit()
    const waiting = await findWaiting(
      bench.needs,
      await listUnswept(
        bench.needs.db,
        bench.node.chainId,
        bench.clock.now(),
        [split.merchant],
        beforeFirstDeposit,
        300,
      ),
    )
    const own = await writeAndDie(sweepOrder(bench.needs.chain.factory, waiting))
    if (moment === 'sent') await bench.needs.chain.sendRaw(own.raw)
    await driveOn(bench.isReconciled(attempt))
    expect(await bench.countSent('sweep', attempt.reference)).toBe(1)
    expect((await bench.ledgerOf(split, nativeAddress)).received).toBe(attempt.amount)
  })

  test.each(moments)('when a distribution was %s and not noted distributes once', async (moment) => {
    const split = await deploySplit(bench)
    const attempt = await bench.pay(split, 'ETH', 'call')
    await bench.run(jobNames.scanTransfers)
    const own = await writeAndDie(distributeOrder(split.address, nativeAddress))
    if (moment === 'sent') await bench.needs.chain.sendRaw(own.raw)
    await driveOn(bench.isReconciled(attempt))
    expect(await bench.countSent('distribute', split.address)).toBe(1)
    expect((await bench.ledgerOf(split, nativeAddress)).level).toBe(attempt.amount)
  })
})

describe('blocks read', () => {
  test('twice, by a process that died before it wrote or by two at once, are booked once', async () => {
    const { split, attempt } = await paidToDeposit()
    await driveOn(async () => (await bench.ledgerOf(split, nativeAddress)).received > 0n)
    await bench.node.mine(4)
    const { needs } = bench
    const cursor = await findDistributionCursor(needs.db, bench.node.chainId)
    assert(cursor, 'the reading has begun')
    const { final } = await needs.chain.readHead()
    const more = await payAttempt(bench, attempt, 'call', 999n)
    expect(more).toMatch(/^0x/)
    await bench.node.mine(2)
    const { final: to } = await needs.chain.readHead()
    expect(to.number).toBeGreaterThan(final.number)
    const readAndBook = async () => catchUpLedgers(needs, await scanRange(needs, cursor, to))
    await Promise.all([1, 2, 3].map(readAndBook))
    await readAndBook()
    expect((await bench.ledgerOf(split, nativeAddress)).received).toBe(attempt.amount + 999n)
  })
})

describe('a chain that lost final blocks', () => {
  test('has the books taken back, the lost transactions sent again, and ends where it would have', async () => {
    const { split, attempt } = await paidToDeposit()
    const paidAt = await bench.node.client.getBlockNumber()
    await driveOn(bench.isReconciled(attempt))
    const before = await bench.ledgerOf(split, nativeAddress)
    const lost = Number((await bench.node.client.getBlockNumber()) - paidAt)
    await bench.node.client.request({ method: 'anvil_rollback', params: [lost] } as never)
    expect(await bench.balanceOf(nativeAddress, split.merchant)).toBe(0n)

    await bench.node.mine()
    for (const job of keeperJobs(bench, { holder: 'anew' })) await runToRest(job)
    expect((await bench.ledgerOf(split, nativeAddress)).level).toBe(0n)
    await driveOn(async () => (await bench.ledgerOf(split, nativeAddress)).level === attempt.amount)
    expect(await bench.ledgerOf(split, nativeAddress)).toEqual(before)
    expect(await bench.balanceOf(nativeAddress, split.merchant)).toBe((attempt.amount * 9_950n) / 10_000n)
    const rows = await bench.rows<{ kind: string }>(`
      SELECT kind FROM split_arrival WHERE merchant = '${split.merchant}' AND orphaned_at IS NULL UNION ALL
      SELECT kind FROM split_release WHERE merchant = '${split.merchant}' AND orphaned_at IS NULL`)
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['distributed', 'sweep'])
  })

  test('has one merchant’s books, which take too long to be taken back, left behind alone until they can be', async () => {
    const paid = [await paidToDeposit(), await paidToDeposit()] as const
    const [large, sound] = paid.map(({ split }) => split)
    assert(large && sound, 'two were paid')
    const paidAt = await bench.node.client.getBlockNumber()
    for (const { attempt } of paid) await driveOn(bench.isReconciled(attempt))
    const before = [await bench.ledgerOf(large, nativeAddress), await bench.ledgerOf(sound, nativeAddress)]
    const lost = Number((await bench.node.client.getBlockNumber()) - paidAt)
    await bench.node.client.request({ method: 'anvil_rollback', params: [lost] } as never)
    await bench.node.mine()

    const db = wrapDatabase(bench.needs.db, ({ name, values = [] }, run) => {
      if (name !== 'orphan-split-arrivals' || !values.includes(large.merchant)) return run()
      throw asOutage(Object.assign(new Error('it took too long'), { code: '57014' }))
    })
    await runToRest(bench.job(jobNames.scanDistributions, { db }))
    expect(await listAllDeferred(bench.needs.db, 100)).toMatchObject([
      { job: 'scan-distributions', merchant: large.merchant, kind: 'took_too_long' },
    ])
    expect(await bench.ledgerOf(large, nativeAddress)).toEqual(before[0])
    expect((await bench.ledgerOf(sound, nativeAddress)).level).toBe(0n)

    const ledgers = async () => [
      await bench.ledgerOf(large, nativeAddress),
      await bench.ledgerOf(sound, nativeAddress),
    ]
    await bench.clock.advance(3_600_000)
    await driveOn(async () => (await listAllDeferred(bench.needs.db, 100)).length === 0)
    await driveOn(async () => (await ledgers()).every(({ level }, i) => level === before[i]?.level))
    expect(await ledgers()).toEqual(before)
  })
})

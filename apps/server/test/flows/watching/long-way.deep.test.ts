import { describe, expect, test } from 'vitest'
import { isTaken, newPace, slowDown, spanOf } from '../../../src/payments/indexer/pace.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startLongChain } from '../../bench/long-chain/long-chain-context.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { perFile } from '../../support/per-file.ts'

/** More logs than one crowd has, but fewer than two have, so that a step over two crowds is rejected. */
const logCount = 2_000
const context = perFile(() => startLongChain({ logRange: 10_000, logCount }, 3))

async function catchUp() {
  const { db, total } = countStatements(context.needs.db)
  const watcher = context.job(jobNames.scanTransfers, { db })
  await context.reset(0)
  while ((await watcher.run(new AbortController().signal)) === 'again');
  const { requestCount } = await context.asked()
  return { requestCount, statements: total() }
}

test('ten thousand blocks cost twenty requests and sixty statements a thousand, and all receipts on the way are paid once', async () => {
  const [blockCount, payments] = [10_000, 12]
  const crowds = { every: 200, count: 500 }
  const ids = await context.lengthen({ blockCount, payments, token: 'USDC', crowds })
  const { requestCount, statements } = await catchUp()
  expect(await context.findWrong(ids)).toEqual([])
  expect(requestCount).toBeLessThanOrEqual((20 * blockCount) / 1_000)
  expect(statements - 30 * payments).toBeLessThanOrEqual((60 * blockCount) / 1_000)
})

test('crowds of which two are more than an endpoint gives at once keep no receipt from being paid once', async () => {
  const crowds = { every: 250, count: 1_500, areOurs: true }
  const ids = await context.lengthen({ blockCount: 1_000, payments: 10, token: 'USDC', crowds })
  await catchUp()
  expect(await context.findWrong(ids)).toEqual([])
  const [row] = await context.rows(`SELECT count(*) FROM (SELECT FROM payment WHERE amount = 1
    UNION ALL SELECT FROM unmatched_payment WHERE amount = 1 AND reason = 'too-many-payments') AS dust`)
  expect(row).toEqual({ count: 6_000n })
})

test('native token on a long way is paid once, with blocks that are read with their transactions', async () => {
  const ids = await context.lengthen({ blockCount: 1_000, payments: 10, token: 'ETH' })
  await catchUp()
  expect(await context.findWrong(ids)).toEqual([])
})

describe('a step along the chain', () => {
  const few = { lost: 0n, withTransactions: false }
  const whole = { lost: 0n, withTransactions: true }

  test('takes three hundred blocks, and a hundred where they come with their transactions', () => {
    expect(spanOf(newPace(), few)).toBe(300n)
    expect(spanOf(newPace(), whole)).toBe(100n)
  })

  test('takes fewer after each one that failed, and soon as many as ever', () => {
    const pace = newPace()
    slowDown(pace)
    expect(spanOf(pace, whole)).toBe(50n)
    for (let i = 0; i < 10; i++) slowDown(pace)
    expect(spanOf(pace, few)).toBe(1n)
    for (let i = 0; i < 10; i++) expect(isTaken(pace, 1, 0)).toBe(true)
    expect(spanOf(pace, few)).toBe(300n)
  })

  test('is gone over again by half where it brought too much, but for a single block', () => {
    const pace = newPace()
    expect(isTaken(pace, 300, 3_000)).toBe(false)
    expect(spanOf(pace, few)).toBe(150n)
    expect(isTaken(pace, 150, 1_500)).toBe(true)
    expect(spanOf(pace, few)).toBe(150n)
    expect(isTaken(pace, 1, 3_000)).toBe(true)
  })

  test('takes the few blocks that were lost, also after steps that failed', () => {
    const pace = newPace()
    for (let i = 0; i < 10; i++) slowDown(pace)
    expect(spanOf(pace, { ...few, lost: 4n })).toBe(4n)
    expect(spanOf(pace, { ...few, lost: 1_000n })).toBe(10n)
  })
})

import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, test } from 'vitest'
import type { BlockHeader } from '../../../src/chain/chain.ts'
import { keepHead, newPace, slowDown, spanOf, speedUp } from '../../../src/payments/indexer/pace.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startLongChainWorld } from '../../bench/long-chain/long-chain-world.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { perFile } from '../../support/per-file.ts'

/** More than a crowd, and less than two: a step over both is refused. */
const logCount = 2_000
const world = perFile(() => startLongChainWorld({ logRange: 10_000, logCount }, 3))

/** Runs the watcher until it has come to the head; what that cost. */
async function catchUp() {
  const { db, total } = countStatements(world.needs.db)
  const watcher = world.job(jobNames.scanTransfers, { db })
  await world.reset(0)
  while ((await watcher.run(new AbortController().signal)) === 'again');
  const { requestCount } = await world.asked()
  return { requestCount, statements: total() }
}

test('ten thousand blocks cost fifteen requests and sixty statements a thousand, and all receipts on the way are paid once', async () => {
  const [blockCount, payments] = [10_000, 12]
  const crowds = { every: 200, count: 500 }
  const ids = await world.lengthen({ blockCount, payments, token: 'USDC', crowds })
  const { requestCount, statements } = await catchUp()
  expect(await world.findWrong(ids)).toEqual([])
  expect(requestCount).toBeLessThanOrEqual((15 * blockCount) / 1_000)
  expect(statements - 30 * payments).toBeLessThanOrEqual((60 * blockCount) / 1_000)
})

test('a head that was read is not asked for with every step below what is final, and blocks close to it are read as ever', async () => {
  const ids = await world.lengthen({ blockCount: 3_000, payments: 3, token: 'USDC' })
  await catchUp()
  const { bodies } = await world.asked()
  expect(bodies.filter((body) => body.includes('"finalized"')).length).toBeLessThan(6)
  const next = await world.lengthen({ blockCount: 1_000, payments: 5, token: 'USDC' })
  await catchUp()
  expect(await world.findWrong([...ids, ...next])).toEqual([])
})

test('crowds of which two are more than an endpoint gives at once keep no receipt from being paid once', async () => {
  const crowds = { every: 250, count: 1_500, areOurs: true }
  const ids = await world.lengthen({ blockCount: 1_000, payments: 10, token: 'USDC', crowds })
  await catchUp()
  expect(await world.findWrong(ids)).toEqual([])
  const [row] = await world.rows(`SELECT count(*) FROM (SELECT FROM payment WHERE amount = 1
    UNION ALL SELECT FROM unmatched_payment WHERE amount = 1 AND reason = 'too-many-payments') AS dust`)
  expect(row).toEqual({ count: 6_000n })
})

test('native token on a long way is paid once, with blocks that are read with their transactions', async () => {
  const ids = await world.lengthen({ blockCount: 1_000, payments: 10, token: 'ETH' })
  await catchUp()
  expect(await world.findWrong(ids)).toEqual([])
})

const block = (number: number): BlockHeader => ({
  number: BigInt(number),
  hash: `0x${number}`,
  parentHash: `0x${number - 1}`,
  at: 0 as UnixMs,
})
const whole = (asked: number, movementCount = 0) => ({ asked, taken: asked, movementCount })

describe('a step along the chain', () => {
  test('takes three hundred blocks, and a hundred where they come with their transactions', () => {
    const pace = newPace()
    expect(spanOf(pace, 0n)).toBe(300n)
    pace.withTransactions = true
    expect(spanOf(pace, 0n)).toBe(100n)
  })

  test('takes half as many after one that failed, also of blocks with their transactions', () => {
    const pace = newPace()
    slowDown(pace)
    expect(spanOf(pace, 0n)).toBe(150n)
    pace.withTransactions = true
    slowDown(pace)
    expect(spanOf(pace, 0n)).toBe(50n)
    for (let i = 0; i < 10; i++) slowDown(pace)
    expect(spanOf(pace, 0n)).toBe(1n)
    for (let i = 0; i < 10; i++) speedUp(pace, whole(1))
    expect(spanOf(pace, 0n)).toBe(100n)
  })

  test('takes as many as bring what one may bring, where every block brings much', () => {
    const pace = newPace()
    const [perBlock, most] = [900, 2_000]
    let read = 0
    for (let left = 100; left > 0; ) {
      const asked = Math.min(Number(spanOf(pace, 0n)), left)
      const taken = Math.max(1, Math.min(asked, Math.trunc(most / perBlock)))
      read += asked
      left -= taken
      speedUp(pace, { asked, taken, movementCount: taken * perBlock })
    }
    // Each block was read about twice, and not fifty times.
    expect(read).toBeLessThan(350)
  })

  test('is soon as long as ever after one block that brings too much', () => {
    const pace = newPace()
    speedUp(pace, { asked: 300, taken: 120, movementCount: 0 })
    speedUp(pace, { asked: 150, taken: 1, movementCount: 3_000 })
    expect(spanOf(pace, 0n)).toBe(75n)
    speedUp(pace, whole(75))
    speedUp(pace, whole(150))
    expect(spanOf(pace, 0n)).toBe(300n)
  })

  test('takes as many blocks as were lost, unless one has failed', () => {
    const pace = newPace()
    pace.withTransactions = true
    expect(spanOf(pace, 1_000n)).toBe(300n)
    slowDown(pace)
    expect(spanOf(pace, 1_000n)).toBe(50n)
    for (let i = 0; i < 6; i++) slowDown(pace)
    expect(spanOf(pace, 1_000n)).toBe(10n)
  })
})

test('a head serves for the next step only where that ends below its final block', () => {
  const pace = newPace()
  const head = { latest: block(1_000), safe: block(900), final: block(800) }
  keepHead(pace, head, block(500))
  expect(pace.standing).toEqual({ head, upTo: '0x500' })
  keepHead(pace, head, block(501))
  expect(pace.standing).toBeUndefined()
})

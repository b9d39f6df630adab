import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { keeperWork } from '../../support/chain/keeper-jobs.ts'
import { deploySplit, openTestAttempt, payAttempt } from '../../support/chain/pay-attempt.ts'
import { type ChainApi, startChainApi } from '../../support/worlds/chain-api.ts'
import type { JobName } from '../../support/worlds/start-api.ts'

let bench: ChainApi
let listener: NudgeListener

beforeAll(async () => {
  bench = await startChainApi({ blockTime: 1, running: keeperWork })
  const [buyer] = bench.node.accounts
  if (buyer) await bench.node.fund(buyer.address)
  const { needs, database } = bench
  const onNudge = (name: string) => bench.nudge(name as JobName)
  listener = new NudgeListener({ url: database.url, clock: systemClock, log: needs.log, onNudge })
  await listener.open()
})

afterAll(async () => {
  await listener?.close()
  await bench?.stop()
})

test('with a block a second a transfer to a deposit address is a reconciled receipt within 30 seconds', async () => {
  const split = await deploySplit(bench)
  const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
  await payAttempt(bench, attempt, 'deposit')
  const paidAt = Date.now()
  await expect
    .poll(async () => (await findReceipt(bench.needs.db, split.merchant, attempt.receiptId))?.status, {
      timeout: 30_000,
      interval: 50,
    })
    .toBe('reconciled')
  console.log(`reconciled ${((Date.now() - paidAt) / 1_000).toFixed(1)} s after the transfer was mined`)
})

import type { Wallet } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleTransactionsJob } from '../../src/chain/own-transaction-lane.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { reconcileReceiptsJob } from '../../src/payments/reconcile-receipts.ts'
import { scanDistributionsJob } from '../../src/payments/scan-distributions.ts'
import { hasLostPayment } from '../../src/payments/scan-distributions-store.ts'
import { sweepDepositsJob } from '../../src/payments/sweep-deposits.ts'
import { makeLog } from '../../src/platform/log.ts'
import { NudgeListener } from '../../src/platform/notify.ts'
import { Ticker } from '../../src/platform/ticker.ts'
import { findReceipt } from '../../src/receipts/store.ts'
import { deploySplitsJob } from '../../src/split/deploy-splits.ts'
import { distributeSplitsJob } from '../../src/split/distribute-due.ts'
import { creditPayment, deploySplit, openTestAttempt, payAttempt } from '../support/pay-attempt.ts'
import { type SplitBench, startSplitBench } from '../support/split-bench.ts'

let bench: SplitBench
let ticker: Ticker
let listener: NudgeListener

beforeAll(async () => {
  bench = await startSplitBench({ blockTime: 1 })
  const [buyer] = bench.node.accounts
  if (buyer) await bench.node.fund(buyer.address)
  const { needs, keeper, database } = bench
  const isStopped = (merchant: Wallet, split: Wallet) => hasLostPayment(needs.db, merchant, split)
  ticker = new Ticker(needs, [
    settleTransactionsJob(needs, [keeper], 'live'),
    deploySplitsJob(needs, keeper, 'live'),
    sweepDepositsJob(needs, keeper, 'live'),
    scanDistributionsJob(needs),
    distributeSplitsJob(needs, { sender: keeper, holder: 'live', isStopped }),
    reconcileReceiptsJob(needs),
  ])
  const log = makeLog('silent')
  const onNudge = (name: string) => ticker.nudge(name)
  listener = new NudgeListener({ url: database.url, clock: systemClock, log, onNudge })
  await listener.open()
  ticker.start()
})

afterAll(async () => {
  await ticker?.stop()
  await listener?.close()
  await bench?.stop()
})

test('with a block a second a paid receipt is reconciled within 30 seconds', async () => {
  const split = await deploySplit(bench)
  const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
  const hash = await payAttempt(bench, attempt, 'deposit')
  await creditPayment(bench, attempt, hash)
  const paidAt = Date.now()
  await expect
    .poll(async () => (await findReceipt(bench.needs.db, split.merchant, attempt.receiptId))?.status, {
      timeout: 30_000,
      interval: 50,
    })
    .toBe('reconciled')
  console.log(`reconciled ${((Date.now() - paidAt) / 1_000).toFixed(1)} s after it was paid`)
})

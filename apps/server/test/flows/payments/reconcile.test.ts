import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { listHistory } from '../../../src/receipts/history.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { releaseData } from '../../support/chain/calls.ts'
import {
  deploySplit,
  drive,
  keeperJobs,
  keeperWork,
  openTestAttempt,
  passBlock,
  payAttempt,
  startKeeper,
} from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(startKeeper)
const historyOf = ({ merchant, receiptId }: Attempt) =>
  listHistory(bench.needs.db, { merchant, id: receiptId, historyCount: 0n })

describe('a paid receipt', () => {
  test.each([
    ['ETH', 'call'],
    ['ETH', 'deposit'],
    ['USDC', 'call'],
    ['USDC', 'deposit'],
    ['USDT', 'call'],
    ['USDT', 'deposit'],
    ['cbBTC', 'call'],
    ['cbXRP', 'deposit'],
  ] as const)('in %s by %s is reconciled once every recipient has its part, and no sooner', async (symbol, way) => {
    const split = await deploySplit(bench)
    const attempt = await bench.pay(split, symbol, way)
    const token = attempt.token.address
    const platformBefore = await bench.balanceOf(token, bench.platform.recipient)
    await drive(bench, bench.isReconciled(attempt))

    const merchantGot = await bench.balanceOf(token, split.merchant)
    const platformGot = (await bench.balanceOf(token, bench.platform.recipient)) - platformBefore
    const remainder = await bench.balanceOf(token, split.address)
    expect(merchantGot).toBe((attempt.amount * 9_950n) / 10_000n)
    expect(merchantGot + platformGot + remainder).toBe(attempt.amount)
    // A token split is never emptied: one unit of the last recipient's part is released with the next
    // payment.
    const isKept = token !== nativeAddress && (attempt.amount * 50n) % 10_000n === 0n
    expect(platformGot).toBe((attempt.amount * 50n) / 10_000n - (isKept ? 1n : 0n))
    expect(await bench.transactionsOf(split.merchant)).toMatchObject([
      {
        receiptId: attempt.receiptId,
        amountRaw: attempt.amount.toString(),
        currency: symbol,
        status: 'distributed',
        fees: Number((attempt.amount * 50n) / 10_000n) / 10 ** attempt.token.decimals,
      },
    ])
    const history = await historyOf(attempt)
    const steps = 'pending attempt_opened payment_seen payment_credited paid distributed reconciled'
    expect(history.map(({ kind, toStatus }) => toStatus ?? kind).join(' ')).toBe(steps)
  })

  test('stays paid while the distribution is in a block that is not final', async () => {
    const split = await deploySplit(bench)
    const attempt = await bench.pay(split, 'USDC', 'call')
    const paysMerchant = async () => (await bench.balanceOf(attempt.token.address, split.merchant)) > 0n
    await drive(bench, paysMerchant)
    expect(await bench.statusOf(attempt)).toBe('paid')
    await bench.node.mine()
    await bench.run(...keeperWork)
    expect(await bench.statusOf(attempt)).toBe('paid')
    await drive(bench, bench.isReconciled(attempt))
  })

  test('is reconciled when the recipients take their parts by hand, with no keeper at all', async () => {
    const split = await deploySplit(bench)
    const attempt = await bench.pay(split, 'USDC', 'call')
    await bench.run(jobNames.scanTransfers)
    const take = async (account: Wallet) => {
      await bench.send({ to: split.address, data: releaseData(account, attempt.token.address) })
      await bench.node.mine(4)
      await bench.run(jobNames.scanDistributions)
      await bench.clock.advance(1_000)
      await bench.run(jobNames.reconcileReceipts)
    }
    await take(split.merchant)
    expect(await bench.statusOf(attempt)).toBe('paid')
    expect(await bench.transactionsOf(split.merchant)).toMatchObject([{ status: 'pending' }])
    await take(bench.platform.recipient)
    expect(await bench.statusOf(attempt)).toBe('reconciled')
    expect(await bench.transactionsOf(split.merchant)).toMatchObject([{ status: 'distributed' }])
  })

  test('whose excess came along is reconciled with all of it through', async () => {
    const split = await deploySplit(bench)
    const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
    const amount = attempt.amount + 3_333_333n
    await payAttempt(bench, attempt, 'deposit', amount)
    await drive(bench, bench.isReconciled(attempt))
    expect((await bench.ledgerOf(split, attempt.token.address)).received).toBe(amount)
  })

  test('topped up in two transfers is reconciled only with both through the split', async () => {
    const split = await deploySplit(bench)
    const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
    const half = attempt.amount / 2n
    await payAttempt(bench, attempt, 'deposit', half)
    await bench.run(jobNames.scanTransfers, jobNames.sweepDeposits)
    await passBlock(bench)
    await payAttempt(bench, attempt, 'deposit', attempt.amount - half)
    const { scanTransfers, scanDistributions, distributeSplits, reconcileReceipts } = jobNames
    for (let block = 0; block < 8; block++) {
      await bench.run(scanTransfers, scanDistributions, distributeSplits, reconcileReceipts)
      await passBlock(bench)
    }
    expect((await bench.transactionsOf(split.merchant)).map(({ status }) => status)).toEqual(['distributed'])
    expect(await bench.statusOf(attempt)).toBe('paid')
    await drive(bench, bench.isReconciled(attempt))
    expect(await bench.transactionsOf(split.merchant)).toHaveLength(2)
  })
})

describe('two keepers on one database', () => {
  test('sweep and distribute each payment once, and reconcile it once', async () => {
    const split = await deploySplit(bench)
    const attempts = []
    for (let i = 0; i < 3; i++) attempts.push(await bench.pay(split, 'USDC', 'deposit'))
    const [sweeps, distributions] = [await bench.countSent('sweep'), await bench.countSent('distribute')]
    const [a, b] = [keeperJobs(bench, { holder: 'a' }), keeperJobs(bench, { holder: 'b' })]
    for (let block = 0; block < 14; block++) {
      for (const [i, job] of a.entries()) await Promise.all([runToRest(job), runToRest(b[i] ?? job)])
      await passBlock(bench)
    }
    for (const attempt of attempts) {
      expect(await bench.statusOf(attempt)).toBe('reconciled')
      const history = await historyOf(attempt)
      expect(history.filter(({ kind }) => kind === 'distributed')).toHaveLength(1)
    }
    expect(await bench.countSent('sweep')).toBe(sweeps + 1)
    expect(await bench.countSent('distribute')).toBe(distributions + 1)
    const total = attempts.reduce((sum, { amount }) => sum + amount, 0n)
    expect((await bench.ledgerOf(split, attempts[0]?.token.address as Wallet)).received).toBe(total)
  })
})

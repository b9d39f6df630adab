import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { listHistory } from '../../../src/receipts/history.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { listSplitTransactions } from '../../../src/split/ledger/list-transactions.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import type { Split } from '../../../src/split/split.ts'
import { drive, keeperJobs, keeperWork, passBlock } from '../../support/chain/keeper-jobs.ts'
import { deploySplit, openTestAttempt, payAttempt, type WayToPay } from '../../support/chain/pay-attempt.ts'
import { type ChainApi, startChainApi } from '../../support/worlds/chain-api.ts'
import { runToRest } from '../../support/worlds/run-to-rest.ts'

let bench: ChainApi

beforeAll(async () => {
  bench = await startChainApi()
  const [buyer] = bench.node.accounts
  if (buyer) await bench.node.fund(buyer.address)
})

afterAll(() => bench?.stop())

const statusOf = async (attempt: Attempt) =>
  (await findReceipt(bench.needs.db, attempt.merchant, attempt.receiptId))?.status
const isReconciled = (attempt: Attempt) => async () => (await statusOf(attempt)) === 'reconciled'
const transactionsOf = async (merchant: Wallet) =>
  (await listSplitTransactions(bench.needs, merchant, {})).transactions
const ledgerOf = ({ merchant, chain, address }: Split, token: Wallet) =>
  findLedger(bench.needs.db, { merchant, chain, split: address, token })
const sentCount = async (kind: string) =>
  (await bench.rows(`SELECT 1 FROM own_transaction WHERE kind = '${kind}'`)).length
async function pay(split: Split, symbol: TokenSymbol, way: WayToPay): Promise<Attempt> {
  const attempt = await openTestAttempt(bench, split.merchant, symbol)
  await payAttempt(bench, attempt, way)
  return attempt
}

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
    const attempt = await pay(split, symbol, way)
    const token = attempt.token.address
    const platformBefore = await bench.balanceOf(token, bench.platform.recipient)
    await drive(bench, isReconciled(attempt))

    const merchantGot = await bench.balanceOf(token, split.merchant)
    const platformGot = (await bench.balanceOf(token, bench.platform.recipient)) - platformBefore
    const remainder = await bench.balanceOf(token, split.address)
    expect(merchantGot).toBe((attempt.amount * 9_950n) / 10_000n)
    expect(merchantGot + platformGot + remainder).toBe(attempt.amount)
    // A token's split is never left empty: one unit of the last recipient's part goes out with the next payment.
    const isKept = token !== nativeAddress && (attempt.amount * 50n) % 10_000n === 0n
    expect(platformGot).toBe((attempt.amount * 50n) / 10_000n - (isKept ? 1n : 0n))
    expect(await transactionsOf(split.merchant)).toMatchObject([
      {
        receiptId: attempt.receiptId,
        amountRaw: attempt.amount.toString(),
        currency: symbol,
        status: 'distributed',
        fees: Number((attempt.amount * 50n) / 10_000n) / 10 ** attempt.token.decimals,
      },
    ])
    const history = await listHistory(bench.needs.db, {
      merchant: split.merchant,
      id: attempt.receiptId,
      historyCount: 0n,
    })
    expect(history.map(({ kind, toStatus }) => toStatus ?? kind)).toEqual([
      'pending',
      'attempt_opened',
      'payment_seen',
      'payment_credited',
      'paid',
      'distributed',
      'reconciled',
    ])
  })

  test('stays paid while the distribution is in a block that is not final', async () => {
    const split = await deploySplit(bench)
    const attempt = await pay(split, 'USDC', 'call')
    const paysMerchant = async () => (await bench.balanceOf(attempt.token.address, split.merchant)) > 0n
    await drive(bench, paysMerchant)
    expect(await statusOf(attempt)).toBe('paid')
    await bench.node.mine()
    await bench.run(...keeperWork)
    expect(await statusOf(attempt)).toBe('paid')
    await drive(bench, isReconciled(attempt))
  })

  test('is reconciled when the recipients take their parts by hand, with no keeper at all', async () => {
    const split = await deploySplit(bench)
    const attempt = await pay(split, 'USDC', 'call')
    await bench.run(jobNames.scanTransfers)
    const take = async (account: Wallet) => {
      const args = [attempt.token.address, account] as const
      const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args })
      await bench.send({ to: split.address, data })
      await bench.node.mine(4)
      await bench.run(jobNames.scanDistributions)
      await bench.clock.advance(1_000)
      await bench.run(jobNames.reconcileReceipts)
    }
    await take(split.merchant)
    expect(await statusOf(attempt)).toBe('paid')
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'pending' }])
    await take(bench.platform.recipient)
    expect(await statusOf(attempt)).toBe('reconciled')
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'distributed' }])
  })

  test('whose excess came along is reconciled with all of it through', async () => {
    const split = await deploySplit(bench)
    const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
    const amount = attempt.amount + 3_333_333n
    await payAttempt(bench, attempt, 'deposit', amount)
    await drive(bench, isReconciled(attempt))
    expect((await ledgerOf(split, attempt.token.address)).received).toBe(amount)
  })

  test('topped up in two transfers is reconciled only with both through the split', async () => {
    const split = await deploySplit(bench)
    const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
    const half = attempt.amount / 2n
    await payAttempt(bench, attempt, 'deposit', half)
    await bench.run(jobNames.scanTransfers, jobNames.sweepDeposits)
    await passBlock(bench)
    await payAttempt(bench, attempt, 'deposit', attempt.amount - half)
    for (let block = 0; block < 8; block++) {
      await bench.run(
        jobNames.scanTransfers,
        jobNames.scanDistributions,
        jobNames.distributeSplits,
        jobNames.reconcileReceipts,
      )
      await passBlock(bench)
    }
    expect((await transactionsOf(split.merchant)).map(({ status }) => status)).toEqual(['distributed'])
    expect(await statusOf(attempt)).toBe('paid')
    await drive(bench, isReconciled(attempt))
    expect(await transactionsOf(split.merchant)).toHaveLength(2)
  })
})

describe('two keepers on one database', () => {
  test('sweep and distribute each payment once, and reconcile it once', async () => {
    const split = await deploySplit(bench)
    const attempts = []
    for (let i = 0; i < 3; i++) attempts.push(await pay(split, 'USDC', 'deposit'))
    const [sweeps, distributions] = [await sentCount('sweep'), await sentCount('distribute')]
    const [a, b] = [keeperJobs(bench, { holder: 'a' }), keeperJobs(bench, { holder: 'b' })]
    for (let block = 0; block < 14; block++) {
      for (const [i, job] of a.entries()) await Promise.all([runToRest(job), runToRest(b[i] ?? job)])
      await passBlock(bench)
    }
    for (const attempt of attempts) {
      expect(await statusOf(attempt)).toBe('reconciled')
      const history = await listHistory(bench.needs.db, {
        merchant: split.merchant,
        id: attempt.receiptId,
        historyCount: 0n,
      })
      expect(history.filter(({ kind }) => kind === 'distributed')).toHaveLength(1)
    }
    expect(await sentCount('sweep')).toBe(sweeps + 1)
    expect(await sentCount('distribute')).toBe(distributions + 1)
    const total = attempts.reduce((sum, { amount }) => sum + amount, 0n)
    expect((await ledgerOf(split, attempts[0]?.token.address as Wallet)).received).toBe(total)
  })
})

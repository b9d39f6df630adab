import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settleTransactionsJob } from '../../src/chain/own-transaction-lane.ts'
import type { Attempt } from '../../src/payments/attempt.ts'
import { reconcileReceiptsJob } from '../../src/payments/reconcile-receipts.ts'
import { scanDistributionsJob } from '../../src/payments/scan-distributions.ts'
import { hasLostPayment } from '../../src/payments/scan-distributions-store.ts'
import { sweepDepositsJob } from '../../src/payments/sweep-deposits.ts'
import { listHistory } from '../../src/receipts/history.ts'
import { findReceipt } from '../../src/receipts/store.ts'
import { distributeSplitsJob } from '../../src/split/distribute-due.ts'
import { findLedger } from '../../src/split/ledger-store.ts'
import { listSplitTransactions } from '../../src/split/list-transactions.ts'
import { entitlement } from '../../src/split/parts.ts'
import type { Split } from '../../src/split/split.ts'
import {
  creditPayment,
  deploySplit,
  openTestAttempt,
  payAttempt,
  transferData,
  type WayToPay,
} from '../support/pay-attempt.ts'
import { randomWallet, runJob, type SplitBench, startSplitBench } from '../support/split-bench.ts'

let bench: SplitBench

beforeAll(async () => {
  bench = await startSplitBench()
  const [buyer] = bench.node.accounts
  if (buyer) await bench.node.fund(buyer.address)
})

afterAll(() => bench?.stop())

function keeperJobs(holder = 'keeper') {
  const { needs, keeper } = bench
  const isStopped = (merchant: Wallet, split: Wallet) => hasLostPayment(needs.db, merchant, split)
  return {
    settle: settleTransactionsJob(needs, [keeper], holder),
    sweep: sweepDepositsJob(needs, keeper, holder),
    scan: scanDistributionsJob(needs),
    distribute: distributeSplitsJob(needs, { sender: keeper, holder, isStopped }),
    reconcile: reconcileReceiptsJob(needs),
  }
}

/** Runs jobs and mines, block by block, until `isDone`. */
async function drive(isDone: () => Promise<boolean>, jobs = Object.values(keeperJobs())): Promise<void> {
  for (let block = 0; block < 20; block++) {
    for (const job of jobs) await runJob(job)
    if (await isDone()) return
    await bench.node.mine()
    await bench.clock.advance(1_000)
  }
  throw new Error('it never came about')
}

const statusOf = async (attempt: Attempt) =>
  (await findReceipt(bench.needs.db, attempt.merchant, attempt.receiptId))?.status
const isReconciled = (attempt: Attempt) => async () => (await statusOf(attempt)) === 'reconciled'
const transactionsOf = async (merchant: Wallet, address?: Wallet) =>
  (await listSplitTransactions(bench.needs, merchant, address ? { address } : {})).transactions
const ledgerOf = ({ merchant, chain, address }: Split, token: Wallet) =>
  findLedger(bench.needs.db, { merchant, chain, split: address, token })
const sentCount = async (kind: string) =>
  (
    await bench.needs.db.rows(
      { name: 'test-sent-count', text: 'SELECT 1 FROM own_transaction WHERE kind = $1' },
      [kind],
    )
  ).length
async function paid(split: Split, symbol: TokenSymbol, way: WayToPay): Promise<Attempt> {
  const attempt = await openTestAttempt(bench, split.merchant, symbol)
  await creditPayment(bench, attempt, await payAttempt(bench, attempt, way))
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
    const attempt = await paid(split, symbol, way)
    const token = attempt.token.address
    const platformBefore = await bench.balanceOf(token, bench.platform.recipient)
    await drive(isReconciled(attempt))

    const merchantGot = await bench.balanceOf(token, split.merchant)
    const platformGot = (await bench.balanceOf(token, bench.platform.recipient)) - platformBefore
    const remainder = await bench.balanceOf(token, split.address)
    expect(merchantGot).toBe((attempt.amount * 9_950n) / 10_000n)
    expect(merchantGot + platformGot + remainder).toBe(attempt.amount)
    expect(await transactionsOf(split.merchant)).toMatchObject([
      {
        receiptId: attempt.receiptId,
        amountRaw: attempt.amount.toString(),
        currency: symbol,
        status: 'distributed',
        fees: Number(platformGot) / 10 ** attempt.token.decimals,
      },
    ])
    const history = await listHistory(bench.needs.db, split.merchant, attempt.receiptId)
    expect(history.map(({ kind, toStatus }) => toStatus ?? kind)).toEqual([
      'pending',
      'attempt_opened',
      'paid',
      'distributed',
      'reconciled',
    ])
  })

  test('stays paid while the distribution is in a block that is not final', async () => {
    const split = await deploySplit(bench)
    const attempt = await paid(split, 'USDC', 'call')
    const paysMerchant = async () => (await bench.balanceOf(attempt.token.address, split.merchant)) > 0n
    await drive(paysMerchant)
    expect(await statusOf(attempt)).toBe('paid')
    await bench.node.mine()
    for (const job of Object.values(keeperJobs())) await runJob(job)
    expect(await statusOf(attempt)).toBe('paid')
    await drive(isReconciled(attempt))
  })

  test('is reconciled when the recipients take their parts by hand, with no keeper at all', async () => {
    const split = await deploySplit(bench)
    const attempt = await paid(split, 'USDC', 'call')
    const { scan, reconcile } = keeperJobs()
    const take = async (account: Wallet) => {
      const args = [attempt.token.address, account] as const
      const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args })
      await bench.send({ to: split.address, data })
      await bench.node.mine(4)
      await runJob(scan)
      await bench.clock.advance(1_000)
      await runJob(reconcile)
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
    await creditPayment(bench, attempt, await payAttempt(bench, attempt, 'deposit', amount), { amount })
    await drive(isReconciled(attempt))
    expect((await ledgerOf(split, attempt.token.address)).received).toBe(amount)
  })

  test('topped up in two transfers is reconciled only with both through the split', async () => {
    const split = await deploySplit(bench)
    const attempt = await openTestAttempt(bench, split.merchant, 'USDC')
    const half = attempt.amount / 2n
    const first = await payAttempt(bench, attempt, 'deposit', half)
    await creditPayment(bench, attempt, first, { amount: half })
    const { sweep, scan, distribute, reconcile } = keeperJobs()
    await runJob(sweep)
    await bench.node.mine()
    const second = await payAttempt(bench, attempt, 'deposit', attempt.amount - half)
    await creditPayment(bench, attempt, second, { amount: attempt.amount - half })
    for (let block = 0; block < 8; block++) {
      for (const job of [scan, distribute, reconcile]) await runJob(job)
      await bench.node.mine()
      await bench.clock.advance(1_000)
    }
    expect((await transactionsOf(split.merchant)).map(({ status }) => status)).toEqual(['distributed'])
    expect(await statusOf(attempt)).toBe('paid')
    await drive(isReconciled(attempt))
    expect(await transactionsOf(split.merchant)).toHaveLength(2)
  })
})

describe('a recipient that cannot be paid', () => {
  test('in ETH stops nobody: its part is held, the receipt reconciled, the transaction held', async () => {
    const refuser = randomWallet()
    await bench.node.client.setCode({ address: refuser, bytecode: '0x5f5ffd' })
    const split = await deploySplit(bench, [
      { address: refuser, sharesBps: 5_000 },
      { address: randomWallet(), sharesBps: 4_950 },
    ])
    const attempt = await paid(split, 'ETH', 'deposit')
    await drive(isReconciled(attempt))
    const held = attempt.amount / 2n
    expect(await bench.balanceOf(nativeAddress, split.address)).toBeGreaterThanOrEqual(held)
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])

    const sent = await sentCount('distribute')
    for (const job of Object.values(keeperJobs())) await runJob(job)
    expect(await sentCount('distribute')).toBe(sent)

    // Once it takes money, it is paid by hand, and the transaction is no longer held.
    await bench.node.client.setCode({ address: refuser, bytecode: '0x' })
    const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args: [refuser] })
    await bench.send({ to: split.address, data })
    await drive(async () => (await transactionsOf(split.merchant))[0]?.status === 'distributed')
    expect(await bench.balanceOf(nativeAddress, refuser)).toBe(held)
  })

  test('because a token blocks it is paid its part by a later distribution', async () => {
    const blocked = randomWallet()
    const usdt = bench.node.contracts.tokens.USDT
    const block = (isBlocked: boolean) => bench.send({ to: usdt, data: blockCall(blocked, isBlocked) })
    await block(true)
    const split = await deploySplit(bench, [
      { address: blocked, sharesBps: 4_000 },
      { address: randomWallet(), sharesBps: 5_950 },
    ])
    const first = await paid(split, 'USDT', 'call')
    await drive(isReconciled(first))
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])
    await block(false)
    const second = await paid(split, 'USDT', 'call')
    await drive(isReconciled(second))
    expect((await transactionsOf(split.merchant)).map(({ status }) => status)).toEqual([
      'distributed',
      'distributed',
    ])
    expect(await bench.balanceOf(usdt, blocked)).toBe(((first.amount + second.amount) * 4_000n) / 10_000n)
  })
})

describe('money that names no receipt', () => {
  test.each(['ETH', 'USDC'] as const)('in %s counts in the books and belongs to nobody', async (symbol) => {
    const split = await deploySplit(bench)
    const token = symbol === 'ETH' ? nativeAddress : bench.node.contracts.tokens[symbol]
    if (symbol === 'ETH') await bench.send({ to: split.address, value: 12_345n })
    else await bench.send({ to: token, data: transferData(split.address, 12_345n) })
    const attempt = await paid(split, symbol, 'call')
    await drive(isReconciled(attempt))
    const ledger = await ledgerOf(split, token)
    expect(ledger.received).toBe(12_345n + attempt.amount)
    for (const recipient of split.recipients) {
      expect(ledger.released.get(recipient.address)).toBe(entitlement(ledger.received, recipient))
    }
    expect(await transactionsOf(split.merchant)).toHaveLength(1)
  })

  test('forced upon a split without a log is counted by what the distribution says', async () => {
    const split = await deploySplit(bench)
    await bench.node.client.setBalance({ address: split.address, value: 1_000n })
    const attempt = await paid(split, 'ETH', 'call')
    await drive(isReconciled(attempt))
    expect((await ledgerOf(split, nativeAddress)).received).toBe(1_000n + attempt.amount)
  })

  test("under the reference of another merchant is nobody's receipt", async () => {
    const [split, other] = [await deploySplit(bench), await deploySplit(bench)]
    const attempt = await openTestAttempt(bench, other.merchant, 'ETH')
    await payAttempt(bench, { ...attempt, splitAddress: split.address }, 'call')
    await drive(async () => (await bench.balanceOf(nativeAddress, split.merchant)) > 0n)
    await bench.node.mine(3)
    await runJob(keeperJobs().scan)
    expect(await transactionsOf(split.merchant)).toEqual([])
    expect(await transactionsOf(other.merchant)).toEqual([])
  })
})

describe('two keepers on one database', () => {
  test('sweep and distribute each payment once, and reconcile it once', async () => {
    const split = await deploySplit(bench)
    const attempts = []
    for (let i = 0; i < 3; i++) attempts.push(await paid(split, 'USDC', 'deposit'))
    const [sweeps, distributions] = [await sentCount('sweep'), await sentCount('distribute')]
    const [a, b] = [Object.values(keeperJobs('a')), Object.values(keeperJobs('b'))]
    for (let block = 0; block < 14; block++) {
      for (const [i, job] of a.entries()) await Promise.all([runJob(job), runJob(b[i] ?? job)])
      await bench.node.mine()
      await bench.clock.advance(1_000)
    }
    for (const attempt of attempts) {
      expect(await statusOf(attempt)).toBe('reconciled')
      const history = await listHistory(bench.needs.db, split.merchant, attempt.receiptId)
      expect(history.filter(({ kind }) => kind === 'distributed')).toHaveLength(1)
    }
    expect(await sentCount('sweep')).toBe(sweeps + 1)
    expect(await sentCount('distribute')).toBe(distributions + 1)
    const total = attempts.reduce((sum, { amount }) => sum + amount, 0n)
    expect((await ledgerOf(split, attempts[0]?.token.address as Wallet)).received).toBe(total)
  })
})

describe('money at a deposit address that no receipt explains', () => {
  test('is swept into the split too, and again when more comes', async () => {
    const split = await deploySplit(bench)
    const attempt = await paid(split, 'ETH', 'deposit')
    await drive(isReconciled(attempt))
    const late = await payAttempt(bench, attempt, 'deposit', 777n)
    await creditPayment(bench, attempt, late, { amount: 777n, state: 'unmatched' })
    await drive(async () => (await ledgerOf(split, nativeAddress)).received === attempt.amount + 777n)
    const unswept = () =>
      bench.needs.db.rows(
        {
          name: 'test-unswept',
          text: 'SELECT 1 FROM payment WHERE merchant = $1 AND (swept_tx IS NULL OR swept_tx = $2)',
        },
        [split.merchant, 'none'],
      )
    await drive(async () => (await unswept()).length === 0)
  })
})

function blockCall(account: Wallet, isBlocked: boolean): Hex {
  const args = [account, isBlocked] as const
  return encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args })
}

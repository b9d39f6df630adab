import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { listSplitTransactions } from '../../../src/split/ledger/list-transactions.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import { entitlement } from '../../../src/split/parts.ts'
import type { Split } from '../../../src/split/split.ts'
import { drive, keeperWork } from '../../support/chain/keeper-jobs.ts'
import { deploySplit, openTestAttempt, payAttempt, type WayToPay } from '../../support/chain/pay-attempt.ts'
import { type ChainApi, randomWallet, startChainApi, transferData } from '../../support/worlds/chain-api.ts'

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

describe('a recipient that cannot be paid', () => {
  test('in ETH stops nobody: its part is held, the receipt reconciled, the transaction held', async () => {
    const refuser = randomWallet()
    await bench.node.client.setCode({ address: refuser, bytecode: '0x5f5ffd' })
    const split = await deploySplit(bench, [
      { address: refuser, sharesBps: 5_000 },
      { address: randomWallet(), sharesBps: 4_950 },
    ])
    const attempt = await pay(split, 'ETH', 'deposit')
    await drive(bench, isReconciled(attempt))
    const held = attempt.amount / 2n
    expect(await bench.balanceOf(nativeAddress, split.address)).toBeGreaterThanOrEqual(held)
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])

    const sent = await sentCount('distribute')
    await bench.run(...keeperWork)
    expect(await sentCount('distribute')).toBe(sent)

    // Once it takes money, it is paid by hand, and the transaction is no longer held.
    await bench.node.client.setCode({ address: refuser, bytecode: '0x' })
    const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args: [refuser] })
    await bench.send({ to: split.address, data })
    await drive(bench, async () => (await transactionsOf(split.merchant))[0]?.status === 'distributed')
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
    const first = await pay(split, 'USDT', 'call')
    await drive(bench, isReconciled(first))
    expect(await transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])
    await block(false)
    const second = await pay(split, 'USDT', 'call')
    await drive(bench, isReconciled(second))
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
    const attempt = await pay(split, symbol, 'call')
    await drive(bench, isReconciled(attempt))
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
    const attempt = await pay(split, 'ETH', 'call')
    await drive(bench, isReconciled(attempt))
    expect((await ledgerOf(split, nativeAddress)).received).toBe(1_000n + attempt.amount)
    await bench.run(jobNames.compareChain)
    expect(
      await bench.rows("SELECT amount FROM unmatched_payment WHERE reason = 'direct' AND amount = 1000"),
    ).toHaveLength(1)
    expect((await ledgerOf(split, nativeAddress)).received).toBe(1_000n + attempt.amount)
  })

  test("under the reference of another merchant is nobody's receipt", async () => {
    const [split, other] = [await deploySplit(bench), await deploySplit(bench)]
    const attempt = await openTestAttempt(bench, other.merchant, 'ETH')
    await payAttempt(bench, { ...attempt, splitAddress: split.address }, 'call')
    await drive(bench, async () => (await bench.balanceOf(nativeAddress, split.merchant)) > 0n)
    await bench.node.mine(3)
    await bench.run(jobNames.scanDistributions)
    expect(await transactionsOf(split.merchant)).toEqual([])
    expect(await transactionsOf(other.merchant)).toEqual([])
  })
})

describe('money at a deposit address that no receipt explains', () => {
  test('is swept into the split too, and again when more comes', async () => {
    const split = await deploySplit(bench)
    const attempt = await pay(split, 'ETH', 'deposit')
    await drive(bench, isReconciled(attempt))
    await payAttempt(bench, attempt, 'deposit', 777n)
    await drive(bench, async () => (await ledgerOf(split, nativeAddress)).received === attempt.amount + 777n)
    const unswept = () =>
      bench.rows(`SELECT 1 FROM payment WHERE merchant = '${split.merchant}' AND coalesce(swept_tx, 'none') = 'none'
        UNION ALL SELECT 1 FROM unmatched_payment WHERE merchant = '${split.merchant}' AND coalesce(swept_tx, 'none') = 'none'`)
    await drive(bench, async () => (await unswept()).length === 0)
  })
})

function blockCall(account: Wallet, isBlocked: boolean): Hex {
  const args = [account, isBlocked] as const
  return encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args })
}

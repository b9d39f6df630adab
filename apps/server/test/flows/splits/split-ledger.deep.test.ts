import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { entitlement } from '../../../src/split/split.ts'
import { releaseData } from '../../support/chain/calls.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import {
  deploySplit,
  drive,
  keeperWork,
  openTestAttempt,
  payAttempt,
  startKeeper,
} from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(startKeeper)

describe('a recipient that cannot be paid', () => {
  test('in ETH stops nobody: its part is held, the receipt reconciled, the transaction held', async () => {
    const refuser = randomWallet()
    await bench.node.client.setCode({ address: refuser, bytecode: '0x5f5ffd' })
    const split = await deploySplit(bench, [
      { address: refuser, sharesBps: 5_000 },
      { address: randomWallet(), sharesBps: 4_950 },
    ])
    const attempt = await bench.pay(split, 'ETH', 'deposit')
    await drive(bench, bench.isReconciled(attempt))
    const held = attempt.amount / 2n
    expect(await bench.balanceOf(nativeAddress, split.address)).toBeGreaterThanOrEqual(held)
    expect(await bench.transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])

    const sent = await bench.countSent('distribute')
    await bench.run(...keeperWork)
    expect(await bench.countSent('distribute')).toBe(sent)

    await bench.node.client.setCode({ address: refuser, bytecode: '0x' })
    await bench.send({ to: split.address, data: releaseData(refuser) })
    await drive(bench, async () => (await bench.transactionsOf(split.merchant))[0]?.status === 'distributed')
    expect(await bench.balanceOf(nativeAddress, refuser)).toBe(held)
  })

  test('because a token blocks it is paid its part by a later distribution', async () => {
    const blocked = randomWallet()
    const usdt = bench.node.contracts.tokens.USDT
    const block = (isBlocked: boolean) => {
      const args = [blocked, isBlocked] as const
      const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args })
      return bench.send({ to: usdt, data })
    }
    await block(true)
    const split = await deploySplit(bench, [
      { address: blocked, sharesBps: 4_000 },
      { address: randomWallet(), sharesBps: 5_950 },
    ])
    const first = await bench.pay(split, 'USDT', 'call')
    await drive(bench, bench.isReconciled(first))
    expect(await bench.transactionsOf(split.merchant)).toMatchObject([{ status: 'held' }])
    await block(false)
    const second = await bench.pay(split, 'USDT', 'call')
    await drive(bench, bench.isReconciled(second))
    expect((await bench.transactionsOf(split.merchant)).map(({ status }) => status)).toEqual([
      'distributed',
      'distributed',
    ])
    expect(await bench.balanceOf(usdt, blocked)).toBe(((first.amount + second.amount) * 4_000n) / 10_000n)
  })
})

describe('money that names no receipt', () => {
  test.each(['ETH', 'USDC'] as const)('in %s counts in the books and belongs to nobody', async (symbol) => {
    const split = await deploySplit(bench)
    const token = bench.tokenAddress(symbol)
    await bench.transfer(token, split.address, 12_345n)
    const attempt = await bench.pay(split, symbol, 'call')
    await drive(bench, bench.isReconciled(attempt))
    const ledger = await bench.ledgerOf(split, token)
    expect(ledger.received).toBe(12_345n + attempt.amount)
    for (const recipient of split.recipients)
      expect(ledger.released.get(recipient.address)).toBe(entitlement(ledger.received, recipient))
    expect(await bench.transactionsOf(split.merchant)).toHaveLength(1)
  })

  test('forced upon a split without a log is counted by what the distribution says', async () => {
    const split = await deploySplit(bench)
    await bench.node.client.setBalance({ address: split.address, value: 1_000n })
    const attempt = await bench.pay(split, 'ETH', 'call')
    await drive(bench, bench.isReconciled(attempt))
    expect((await bench.ledgerOf(split, nativeAddress)).received).toBe(1_000n + attempt.amount)
    await bench.run(jobNames.compareChain)
    const direct = "SELECT amount FROM unmatched_payment WHERE reason = 'direct' AND amount = 1000"
    expect(await bench.rows(direct)).toHaveLength(1)
    expect((await bench.ledgerOf(split, nativeAddress)).received).toBe(1_000n + attempt.amount)
  })

  test("under the reference of another merchant is nobody's receipt", async () => {
    const [split, other] = [await deploySplit(bench), await deploySplit(bench)]
    const attempt = await openTestAttempt(bench, other.merchant, 'ETH')
    await payAttempt(bench, { ...attempt, splitAddress: split.address }, 'call')
    await drive(bench, async () => (await bench.balanceOf(nativeAddress, split.merchant)) > 0n)
    await bench.node.mine(3)
    await bench.run(jobNames.scanDistributions)
    expect(await bench.transactionsOf(split.merchant)).toEqual([])
    expect(await bench.transactionsOf(other.merchant)).toEqual([])
  })
})

describe('money at a deposit address that no receipt explains', () => {
  test('is swept into the split too, and again when more comes', async () => {
    const split = await deploySplit(bench)
    const attempt = await bench.pay(split, 'ETH', 'deposit')
    await drive(bench, bench.isReconciled(attempt))
    await payAttempt(bench, attempt, 'deposit', 777n)
    await drive(
      bench,
      async () => (await bench.ledgerOf(split, nativeAddress)).received === attempt.amount + 777n,
    )
    const isUnswept = `merchant = '${split.merchant}' AND coalesce(swept_tx, 'none') = 'none'`
    const unswept = () =>
      bench.rows(`SELECT 1 FROM payment WHERE ${isUnswept}
        UNION ALL SELECT 1 FROM unmatched_payment WHERE ${isUnswept}`)
    await drive(bench, async () => (await unswept()).length === 0)
  })
})

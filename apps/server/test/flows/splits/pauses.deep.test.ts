import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { findPaused } from '../../../src/chain/transactions/find-paused.ts'
import { insertOutgoing, settleNonce } from '../../../src/chain/transactions/store.ts'
import type { OutgoingTransaction, TransactionKind } from '../../../src/chain/transactions/transaction.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { deploySplit, startKeeper } from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

const halfMinute = 30_000
const hour = 3_600_000
const day = 24 * hour

const bench = perFile(startKeeper)

async function mineRefused(contract: Wallet): Promise<void> {
  const { client } = bench.node
  const bytecode = (await client.getCode({ address: contract })) as Hex
  await client.setCode({ address: contract, bytecode: '0xfe' })
  await bench.node.mine()
  await client.setCode({ address: contract, bytecode })
  await bench.run(jobNames.settleTransactions)
}

/**
 * Checks that a job sends no second transaction before each pause is over, however often it runs.
 *
 * @param contract - The target of the transaction.
 */
async function holdToPauses(kind: 'sweep' | 'distribute', contract: Wallet): Promise<void> {
  const run = () => bench.run(kind === 'sweep' ? jobNames.sweepDeposits : jobNames.distributeSplits)
  const before = await bench.countSent(kind)
  await run()
  expect(await bench.countSent(kind)).toBe(before + 1)
  for (const [tries, pause] of [halfMinute, 2 * halfMinute, 4 * halfMinute].entries()) {
    const sentAt = bench.clock.now()
    await mineRefused(contract)
    await run()
    bench.clock.jumpTo(sentAt + pause - 1)
    await run()
    expect(await bench.countSent(kind), `a pause of ${pause} ms`).toBe(before + 1 + tries)
    bench.clock.jumpTo(sentAt + pause)
    await run()
    expect(await bench.countSent(kind), `after ${pause} ms`).toBe(before + 2 + tries)
  }
}

async function book(): Promise<void> {
  await bench.node.mine(4)
  await bench.run(jobNames.settleTransactions, jobNames.scanTransfers, jobNames.scanDistributions)
}

test('a sweep and then a distribution that the chain refuses are tried again after half a minute, a minute, two; then the money arrives', async () => {
  const split = await deploySplit(bench)
  const { address } = split
  const attempt = await bench.pay(split, 'USDC', 'deposit')
  await bench.run(jobNames.scanTransfers)

  await holdToPauses('sweep', bench.needs.chain.factory)
  await book()
  expect(await bench.balanceOf(attempt.token.address, address)).toBe(attempt.amount)

  await holdToPauses('distribute', address)
  await book()
  expect(await bench.balanceOf(attempt.token.address, address)).toBeLessThanOrEqual(1n)
  expect(await bench.countSent('sweep'), 'what arrived is not swept again').toBe(4)
})

describe('what is paused', () => {
  const chain = 31337
  let nonce = 0n

  async function note(
    sender: Wallet,
    key: string,
    ago: number,
    fate: 'reverted' | 'in-vain' | 'good' | 'open',
    more: Partial<OutgoingTransaction> = {},
  ): Promise<void> {
    const own: OutgoingTransaction = {
      ...{ chain, sender, nonce: nonce++, attempt: 0n, kind: 'sweep', detail: { sweeps: [key] } },
      ...{ to: randomWallet(), data: '0x', gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
      ...{ raw: '0x', hash: `0x${nonce.toString(16).padStart(64, '0')}`, state: 'signed' },
      ...{ createdAt: (bench.clock.now() - ago) as UnixMs, sentAt: undefined, minedBlock: undefined },
      ...more,
    }
    await insertOutgoing(bench.needs.db, own)
    if (fate === 'open') return
    const outcome = { isSuccess: fate !== 'reverted', hadEffect: fate === 'good', fee: 0n }
    await settleNonce(bench.needs.db, own, { attempt: 0n, block: 1n, ...outcome })
  }
  const isPaused = async (key: string, kind: TransactionKind = 'sweep') =>
    (await findPaused(bench.needs, kind, ({ detail }) => (detail.sweeps as string[]) ?? [])).has(key)

  test.each([
    ['one that reverted', 'reverted', true],
    ['one that did nothing', 'in-vain', true],
    ['one that did what it was for', 'good', false],
    ['one whose fate is open', 'open', false],
  ] as const)('follows from %s: %s, %s', async (_, fate, expected) => {
    const key = `fate ${fate}`
    await note(randomWallet(), key, 1_000, fate)
    expect(await isPaused(key)).toBe(expected)
    expect(await isPaused(key, 'distribute'), 'each kind for itself').toBe(false)
  })

  test('is so for an hour at most, counted from the newest, whoever sent it', async () => {
    const key = 'often'
    for (let i = 12; i >= 0; i--) await note(randomWallet(), key, hour - 1_000 + i, 'reverted')
    expect(await isPaused(key)).toBe(true)
    await bench.clock.advance(1_000)
    expect(await isPaused(key)).toBe(false)
  })

  test('is not what was tried by a clock that was a day ahead', async () => {
    await note(randomWallet(), 'ahead', -day, 'reverted')
    expect(await isPaused('ahead')).toBe(false)
  })

  test('is what was tried in the last day: what is older counts no more', async () => {
    const isPausedSince = async (key: string, ago: number) => {
      await note(randomWallet(), key, ago, 'reverted')
      await note(randomWallet(), key, halfMinute, 'reverted')
      return isPaused(key)
    }
    expect(await isPausedSince('tried a day ago', day + 1)).toBe(false)
    expect(await isPausedSince('tried within a day', day - 60_000)).toBe(true)
  })

  test('is every key of a transaction for many, and no other', async () => {
    await note(randomWallet(), '', 1_000, 'reverted', { detail: { sweeps: ['one', 'two'] } })
    expect(await Promise.all(['one', 'two', 'three'].map((key) => isPaused(key)))).toEqual([
      true,
      true,
      false,
    ])
  })
})

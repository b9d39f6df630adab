import { randomUUID } from 'node:crypto'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import type { TransactionKind } from '../../../src/chain/transactions/transaction.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { ensureMerchant } from '../../../src/merchants/merchant-store.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { listAttempts } from '../../../src/payments/attempts/store.ts'
import { openAttempt } from '../../../src/payments/checkout/open-attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import { createReceipt } from '../../../src/receipts/making/create-receipt.ts'
import { parseCreateReceipt } from '../../../src/receipts/making/parse-create.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { listSplitTransactions } from '../../../src/split/ledger/list-transactions.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import { configureSplit, type RecipientInput } from '../../../src/split/setup/configure-split.ts'
import type { Split } from '../../../src/split/split.ts'
import { type JobChanges, runToRest } from '../api/start-api.ts'
import { approveData } from './calls.ts'
import { type ChainApi, type ChainOptions, payData, randomWallet, startChainApi } from './chain-api.ts'

export async function startKeeper(options: ChainOptions = {}) {
  const api = await startChainApi(options)
  const { needs, node } = api
  const [buyer] = node.accounts
  if (buyer) await node.fund(buyer.address)
  const statusOf = async ({ merchant, receiptId }: Attempt) =>
    (await findReceipt(needs.db, merchant, receiptId))?.status
  return {
    ...api,
    async pay(split: Split, symbol: TokenSymbol, way: WayToPay) {
      const attempt = await openTestAttempt(api, split.merchant, symbol)
      await payAttempt(api, attempt, way)
      return attempt
    },
    statusOf,
    isReconciled: (attempt: Attempt) => async () => (await statusOf(attempt)) === 'reconciled',
    ledgerOf: ({ merchant, chain, address }: Split, token: Wallet) =>
      findLedger(needs.db, { merchant, chain, split: address, token }),
    transactionsOf: async (merchant: Wallet) =>
      (await listSplitTransactions(needs, merchant, {})).transactions,
    async countSent(kind: TransactionKind, ...parts: readonly string[]) {
      const rows = await api.rows<{ detail: string }>(
        `SELECT detail::text AS detail FROM outgoing_transaction WHERE kind = '${kind}'`,
      )
      return rows.filter(({ detail }) => parts.every((part) => detail.includes(part))).length
    },
  }
}

export const keeperWork = [
  jobNames.scanTransfers,
  jobNames.settleTransactions,
  jobNames.deploySplits,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

export function keeperJobs(bench: Pick<ChainApi, 'job'>, changes?: JobChanges): Job[] {
  return keeperWork.map((name) => bench.job(name, changes))
}

/**
 * Runs jobs and mines, block by block, until `isDone`. Each round creates new jobs, without in-memory state.
 */
export async function drive(
  bench: ChainApi,
  isDone: () => Promise<boolean>,
  jobs: () => readonly Job[] = () => keeperJobs(bench, {}),
): Promise<void> {
  for (let block = 0; block < 25; block++) {
    for (const job of jobs()) await runToRest(job)
    if (await isDone()) return
    await passBlock(bench)
  }
  throw new Error('the condition never came true')
}

export async function passBlock(bench: ChainApi): Promise<void> {
  await bench.node.mine()
  await bench.clock.advance(1_000)
}

export type WayToPay = 'call' | 'deposit'

const site = { baseUrl: 'https://pay.example.com', chainId: 31337, isProduction: false }

export async function deploySplit(bench: ChainApi, recipients?: readonly RecipientInput[]): Promise<Split> {
  const merchant = randomWallet()
  await ensureMerchant(bench.needs, merchant, 'Test Shop')
  const needs = { ...bench.needs, platform: bench.platform }
  const { split } = await configureSplit(needs, merchant, { recipients })
  await bench.run(jobNames.deploySplits)
  await bench.node.mine()
  await bench.run(jobNames.deploySplits)
  return split
}

export async function openTestAttempt(bench: ChainApi, merchant: Wallet, token: TokenSymbol) {
  const { needs } = bench
  const lineItems = [{ label: 'Coffee', priceUsd: 10 }]
  const request = parseCreateReceipt({ id: `order-${randomUUID()}`, lineItems, totalUsd: 10 }, site)
  const key = { keyId: 'key', encryptedKey: 'encrypted' }
  const receiving = { ...needs, deadlines: needs.chain.time }
  const { receipt } = await createReceipt(receiving, merchant, key, request)
  const offer = { rates: needs.rates, minCents: 1n, maxCents: 10_000_000n }
  await agreeOnTime(bench)
  await openAttempt({ ...needs, offer }, receipt, { token }, 'buyer')
  const attempt = (await listAttempts(needs.db, merchant, receipt.id)).at(-1)
  assert(attempt, 'an attempt was opened')
  return attempt
}

/** Advances whichever clock is behind, since the service makes no offers while the clocks differ. */
async function agreeOnTime({ clock, node, needs }: ChainApi): Promise<void> {
  const chainAt = Number((await node.client.getBlock()).timestamp) * 1000
  if (clock.now() < chainAt) clock.jumpTo(chainAt)
  if (!needs.chain.time.isOff) return
  await node.client.setNextBlockTimestamp({ timestamp: BigInt(Math.ceil(clock.now() / 1000)) })
  await node.mine()
  await needs.chain.readHead()
}

export async function payAttempt(
  bench: ChainApi,
  attempt: Attempt,
  way: WayToPay,
  amount: bigint = attempt.amount,
): Promise<Hex> {
  const { address: token } = attempt.token
  const { reference, splitAddress, depositAddress } = attempt
  const isNative = token === nativeAddress
  if (way === 'call' && !isNative) await bench.send({ to: token, data: approveData(splitAddress) })
  const paying = isNative
    ? { data: payData(reference), value: amount }
    : { data: payData(reference, { token, amount }) }
  const { hash } = await (way === 'call'
    ? bench.send({ to: splitAddress, ...paying })
    : bench.transfer(token, depositAddress, amount))
  await bench.node.mine()
  return hash
}

import { randomBytes } from 'node:crypto'
import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { type OwnSender, openSender } from '../../../src/chain/transactions/transaction.ts'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { makeFinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { makeScanTransfersJob } from '../../../src/payments/indexer/scan-transfers.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import { type Log, makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { fixedRates } from '../../../src/pricing/rates/fixed-rates.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { makeLastAudit } from '../chain/audit-chain.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { makeTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { TestClock } from '../test-clock.ts'

/** A database, a real chain that mines when told, and what jobs of the split lean on. */
export type SplitBench = {
  readonly database: TestDatabase
  readonly node: TestChain
  readonly clock: TestClock
  readonly keeper: OwnSender
  readonly platform: { readonly feeBps: Bps; readonly recipient: Wallet }
  readonly needs: {
    readonly db: Database
    readonly chain: Chain
    readonly clock: Clock
    readonly log: Log
    readonly rates: RateBook
    readonly random: typeof systemRandom
    readonly secrets: Secrets
  }
  /** Has an account of the chain call a contract or pay an address; mined with the next block. */
  send(call: { from?: Hex; to: Wallet; data?: Hex; value?: bigint }): Promise<Hex>
  balanceOf(token: Wallet, account: Wallet): Promise<bigint>
  /** What a test looks up in the database; no statement of the product. */
  rows<Row extends object>(text: string): Promise<Row[]>
  /** Says that chain and books differ at the end, and why; everywhere else they have to be equal. */
  endsUneven(reason: string): void
  /** Audits the chain against the books, then stops. */
  stop(): Promise<void>
}

/** Starts it. With `blockTime` the chain and the clock go by themselves. The final block is two behind the newest. */
export async function startSplitBench(
  options: { blockTime?: number; outbound?: (real: Outbound) => Outbound } = {},
): Promise<SplitBench> {
  const { blockTime } = options
  const [database, node] = await Promise.all([
    makeTestDatabase(),
    startTestChain({ blockTime: blockTime ?? 'manual' }),
  ])
  const testClock = new TestClock(Date.now())
  const clock = blockTime === undefined ? testClock : systemClock
  const log = makeLog('silent')
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const network = describeNetwork(node.chainId, node.contracts)
  const between = options.outbound?.(outbound) ?? outbound
  const chain = connectChain({ outbound: between, clock, log }, network, [node.rpcUrl])
  const rates = new RateBook({ clock, log, sources: [fixedRates({ clock })] })
  const [buyer, keeperAccount] = node.accounts
  if (!buyer || !keeperAccount) throw new Error('the chain has known accounts')
  const account = privateKeyToAccount(buyer.privateKey)
  const audit = makeLastAudit(database.pool, node)
  const bench: SplitBench = {
    database,
    node,
    clock: testClock,
    keeper: openSender(keeperAccount.privateKey),
    platform: { feeBps: 50 as Bps, recipient: randomWallet() },
    needs: {
      db: database.pool,
      chain,
      clock,
      log,
      rates,
      random: systemRandom,
      secrets: new Secrets('a master key of the tests, long enough', systemRandom),
    },
    async send({ from, to, data = '0x', value = 0n }) {
      if (from !== undefined) {
        await node.client.impersonateAccount({ address: from })
        return node.client.sendUnsignedTransaction({ from, to, data, value, gas: 1_000_000n })
      }
      const nonce = await node.client.getTransactionCount({ address: account.address, blockTag: 'pending' })
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: node.chainId,
        nonce,
        to,
        data,
        value,
        gas: 1_000_000n,
        maxFeePerGas: 10_000_000_000n,
        maxPriorityFeePerGas: 1n,
      })
      return node.client.sendRawTransaction({ serializedTransaction: raw })
    },
    async balanceOf(token, owner) {
      if (/^0x0+$/.test(token)) return node.client.getBalance({ address: owner })
      return node.client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      })
    },
    rows: (text) => database.pool.rows({ name: '', text }),
    endsUneven: audit.endsUneven,
    async stop() {
      try {
        // What is in flight is no difference: so that all is compared, all becomes final and is read first.
        if (blockTime === undefined) {
          await node.mine(4)
          const policy = makeFinalityPolicy({ isProduction: false, endpointCount: 1 })
          await runJob(makeScanTransfersJob({ ...bench.needs, policy }))
          await runJob(scanDistributionsJob(bench.needs))
        }
        await audit.run()
      } finally {
        await outbound.close()
        await Promise.all([database.drop(), node.stop()])
      }
    },
  }
  return bench
}

/** One round of a job, and as many more as it asks for. */
export async function runJob(job: Job): Promise<void> {
  for (let round = 0; round < 50; round++) {
    if ((await job.run(new AbortController().signal)) === 'done') return
  }
  throw new Error(`${job.name} never ends`)
}

/** A wallet nobody has a key to. */
export function randomWallet(): Wallet {
  return parseWallet(`0x${randomBytes(20).toString('hex')}`) as Wallet
}

/** The data of a payment to a split under a reference. */
export function payData(reference: Hex, payment?: { token: Wallet; amount: bigint }): Hex {
  return payment
    ? encodeFunctionData({
        abi: merchantSplitAbi,
        functionName: 'payToken',
        args: [payment.token, payment.amount, reference],
      })
    : encodeFunctionData({ abi: merchantSplitAbi, functionName: 'pay', args: [reference] })
}

import { randomBytes } from 'node:crypto'
import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { Bps, Cents } from '@sluice/protocol/money.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { openSender, type TransactionSender } from '../../../src/chain/transactions/transaction.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { FinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { type ApiOptions, startApi, type TestApi } from '../api/start-api.ts'
import { makeLastAudit } from './audit-chain.ts'
import { type Call, type SentTransaction, startTestChain, type TestChain } from './test-chain.ts'

/** What of the chain and of the way to it a test decides, beside what of the API. */
export type ChainOptions = Omit<ApiOptions, 'chain' | 'realTime'> & {
  /** `safe` is so many blocks behind the head, 1 where absent, and `final` twice as far. */
  readonly slotsInAnEpoch?: number
  /** Blocks come by themselves, after so many seconds; each transaction has one of its own with 0. */
  readonly blockTime?: number
  /** The endpoints the service is given in place of the node itself. */
  readonly endpoints?: (url: string) => string[]
  /** Stands between the service and its chain. */
  readonly outbound?: (real: Outbound) => Outbound
  /** Puts up the factory it all begins with, where that is not this release's. */
  readonly factory?: (chain: TestChain) => Promise<Wallet>
}

/** The service over a real chain that mines when told, with a keeper who has money for gas. */
export type ChainApi = TestApi & {
  readonly node: TestChain
  readonly keeper: TransactionSender
  readonly platform: { readonly feeBps: Bps; readonly recipient: Wallet }
  /** Has the first account of the chain call a contract or pay an address; mined with the next block. */
  send(call: Call): Promise<SentTransaction>
  /** As {@link send}, in a token or ETH. */
  transfer(token: Wallet, to: Wallet | Hex, units: bigint): Promise<SentTransaction>
  tokenAddress(symbol: TokenSymbol): Wallet
  balanceOf(token: Wallet, account: string): Promise<bigint>
  /** What a test looks up in the database; no statement of the product. */
  rows<Row extends object>(text: string): Promise<Row[]>
  /** Says that chain and books differ when the test ends, and why; everywhere else they have to be equal. */
  endsUneven(reason: string): void
  /** Audits the chain against the books, then stops. */
  stop(): Promise<void>
}

/** Starts it. */
export async function startChainApi(options: ChainOptions = {}): Promise<ChainApi> {
  const { slotsInAnEpoch = 1, blockTime, endpoints, outbound, factory, ...rest } = options
  const node = await startTestChain({
    slotsInAnEpoch,
    ...(blockTime !== 0 && { blockTime: blockTime ?? 'manual' }),
  })
  const [, , keeper] = node.accounts
  const keeperKey = keeper?.privateKey as Hex
  const network = describeNetwork(node.chainId, {
    ...node.contracts,
    ...(factory && { factory: await factory(node) }),
  })
  const platform = { feeBps: 50 as Bps, recipient: rest.platformRecipient ?? randomWallet() }
  const api = await startApi({
    now: Date.now(),
    platformFeeBps: platform.feeBps,
    platformRecipient: platform.recipient,
    deployerKey: keeperKey,
    keeperKey,
    ...rest,
    ...(blockTime && { realTime: systemClock }),
    chain: (needs) =>
      connectChain({ ...needs, outbound: outbound?.(needs.outbound) ?? needs.outbound }, network, [
        ...(endpoints?.(node.rpcUrl) ?? [node.rpcUrl]),
      ]),
  })
  const audit = makeLastAudit(api.database.pool, node)
  return {
    ...api,
    node,
    keeper: openSender(keeperKey),
    platform,
    send: node.send,
    transfer: (token, to, units) =>
      node.send(
        token === nativeAddress ? { to, value: units } : { to: token, data: transferData(to, units) },
      ),
    tokenAddress(symbol) {
      const token = network.tokens.find((each) => each.symbol === symbol)
      if (!token) throw new Error(`no ${symbol}`)
      return token.address
    },
    async balanceOf(token, account) {
      const address = account as Hex
      if (token === nativeAddress) return node.client.getBalance({ address })
      const read = { abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const
      return node.client.readContract({ address: token, ...read })
    },
    rows: (text) => api.database.pool.rows({ name: '', text }),
    endsUneven: audit.endsUneven,
    async stop() {
      try {
        // What is in flight is no difference: so that all is compared, all becomes final and is read first.
        if (blockTime === undefined) {
          await node.mine(4 * slotsInAnEpoch)
          await api.run(jobNames.scanTransfers, jobNames.scanDistributions)
        }
        if (blockTime !== 0) await audit.run()
      } finally {
        await api.stop()
        await node.stop()
      }
    },
  }
}

/** Every payment has to be this sure. */
export function always(finality: 'seen' | 'safe' | 'final'): FinalityPolicy {
  const never = 1_000_000_000_000n as Cents
  return { safeFrom: never, finalFrom: never, least: finality }
}

/** A wallet nobody has a key to. */
export function randomWallet(): Wallet {
  return parseWallet(`0x${randomBytes(20).toString('hex')}`) as Wallet
}

/** The data of a plain transfer of a token. */
export function transferData(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] })
}

/** The data of a payment to a split under a reference. */
export function payData(reference: Hex, payment?: { token: Wallet; amount: bigint }): Hex {
  if (!payment) return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'pay', args: [reference] })
  const args = [payment.token, payment.amount, reference] as const
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'payToken', args })
}

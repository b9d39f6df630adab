import { randomBytes } from 'node:crypto'
import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { Bps, Cents } from '@sluice/protocol/money.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { openSender } from '../../../src/chain/transactions/transaction.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { FinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { type ApiOptions, startApi } from '../api/start-api.ts'
import { makeLastAudit } from './audit-chain.ts'
import { startTestChain, type TestChain, type TestChainOptions } from './test-chain.ts'

export type ChainOptions = Omit<ApiOptions, 'chain' | 'realTime'> & {
  /** Blocks from `safe` to the head; `final` is twice as far. Default: 1. */
  readonly slotsInAnEpoch?: number
  /** Seconds between blocks. With 0, each transaction is mined immediately. Default: blocks on request. */
  readonly blockTime?: number
  readonly endpoints?: (url: string) => string[]
  readonly outbound?: (real: Outbound) => Outbound
  /** Listed tokens that replace test tokens. */
  readonly tokens?: TestChainOptions['tokens']
  /** Deploys the initial factory, if it is not this release's factory. */
  readonly factory?: (chain: TestChain) => Promise<Wallet>
}

/** The service with a real chain that mines on request, and with a keeper that can pay for gas. */
export type ChainApi = Awaited<ReturnType<typeof startChainApi>>

export async function startChainApi(options: ChainOptions = {}) {
  const { slotsInAnEpoch = 1, blockTime, endpoints, outbound, factory, tokens = {}, ...rest } = options
  const node = await startTestChain({
    slotsInAnEpoch,
    tokens,
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
  let isServing = true
  return {
    ...api,
    node,
    keeper: openSender(keeperKey),
    platform,
    /** Sends a call or ETH from the chain's first account. The next block includes the transaction. */
    send: node.send,
    transfer: (token: Wallet, to: Wallet | Hex, units: bigint) =>
      node.send(
        token === nativeAddress ? { to, value: units } : { to: token, data: transferData(to, units) },
      ),
    tokenAddress(symbol: TokenSymbol): Wallet {
      const token = network.tokens.find((each) => each.symbol === symbol)
      if (!token) throw new Error(`no ${symbol}`)
      return token.address
    },
    async balanceOf(token: Wallet, account: string): Promise<bigint> {
      const address = account as Hex
      if (token === nativeAddress) return node.client.getBalance({ address })
      const read = { abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const
      return node.client.readContract({ address: token, ...read })
    },
    rows: <Row extends object>(text: string): Promise<Row[]> => api.database.pool.rows({ name: '', text }),
    /** Declares why chain and ledger differ at the end of the test. Otherwise they must be equal. */
    endsUneven: audit.endsUneven,
    /** Stops the service, and leaves the chain to the service that replaces it. */
    async stopService() {
      isServing = false
      await api.stop()
    },
    async stop() {
      if (!isServing) return node.stop()
      try {
        // All blocks become final and are scanned first, so that nothing is in flight.
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

export function always(finality: 'seen' | 'safe' | 'final'): FinalityPolicy {
  const never = 1_000_000_000_000n as Cents
  return { safeFrom: never, finalFrom: never, least: finality }
}

export function randomWallet(): Wallet {
  return parseWallet(`0x${randomBytes(20).toString('hex')}`) as Wallet
}

export function transferData(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] })
}

export function payData(reference: Hex, payment?: { token: Wallet; amount: bigint }): Hex {
  if (!payment) return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'pay', args: [reference] })
  const args = [payment.token, payment.amount, reference] as const
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'payToken', args })
}

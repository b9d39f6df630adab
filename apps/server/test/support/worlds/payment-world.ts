import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { Bps, Cents } from '@sluice/protocol/money.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { checkoutRoutes } from '../../../src/payments/checkout/routes.ts'
import { type FinalityPolicy, makeFinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import type { ScanNeeds } from '../../../src/payments/cursors/scan-needs.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { unmatchedRoutes } from '../../../src/payments/inbox/routes.ts'
import { makeScanClosedJob } from '../../../src/payments/indexer/scan-closed.ts'
import { makeScanOldJob } from '../../../src/payments/indexer/scan-old.ts'
import { makeScanTransfersJob } from '../../../src/payments/indexer/scan-transfers.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import { type Log, makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import type { RateSource } from '../../../src/pricing/rates/rate-source.ts'
import { splitRoutes } from '../../../src/split/routes.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import { makeLastAudit } from '../chain/audit-chain.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** How a buyer pays: by a call that carries the reference, or by a plain transfer to the deposit address. */
export type PayWay = 'call' | 'transfer'

/** A signed transaction, so that a reorg can put it into another block. */
export type SentTransaction = { readonly hash: Hex; readonly raw: Hex }

/** The API, a database and a chain that mines when told, with a merchant who has a deployed split. */
export type PaymentWorld = {
  readonly api: TestApi
  readonly chain: TestChain
  readonly merchant: TestMerchant
  readonly buyer: { readonly address: Wallet; readonly privateKey: Hex }
  readonly needs: ScanNeeds
  /** Log lines of level warn and above, since the start. */
  readonly logged: Record<string, unknown>[]
  newReceipt(id: string, totalUsd: number, more?: Record<string, unknown>): Promise<void>
  attempt(id: string, token: TokenSymbol, payer?: Wallet): Promise<AttemptView>
  checkout(id: string): Promise<CheckoutView>
  status(id: string): Promise<string>
  /** Signs and sends without mining; pays `units`, or what the attempt asks for. */
  pay(attempt: AttemptView, way: PayWay, units?: bigint): Promise<SentTransaction>
  send(call: { to: Hex; data?: Hex; value?: bigint; gas?: bigint }): Promise<SentTransaction>
  tokenAddress(symbol: TokenSymbol): Wallet
  mine(blockCount?: number): Promise<void>
  /** Sets the service's clock to the chain's newest block. */
  syncClock(): Promise<void>
  /** Runs the watcher until it has nothing more to do. */
  scan(needs?: Partial<ScanNeeds>): Promise<void>
  /** Looks at the attempts that are closed, as far as it is time to. */
  lookAtClosed(needs?: Partial<ScanNeeds>): Promise<void>
  /** Webhooks owed, oldest first. */
  notices(id: string): Promise<OwedNotice[]>
  /** Says that chain and books differ when the test ends, and why; everywhere else they have to be equal. */
  endsUneven(reason: string): void
  /** Audits the chain against the books, then stops. */
  stop(): Promise<void>
}

/** A webhook owed, without what differs from run to run. */
export type OwedNotice = {
  readonly key: string
  readonly sequence: bigint
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body
  readonly body: any
}

/** A `FinalityPolicy` for a test: every payment has to be this sure. */
export function always(finality: 'seen' | 'safe' | 'final'): FinalityPolicy {
  const never = 1_000_000_000_000n as Cents
  return { safeFrom: never, finalFrom: never, least: finality }
}

export async function runToRest(job: Job): Promise<void> {
  for (let round = 0; (await job.run(new AbortController().signal)) === 'again'; round++)
    if (round > 500) throw new Error(`${job.name} does not come to rest`)
}

/** Starts it. `safe` is `slotsInAnEpoch` behind the head (default 2), `final` twice as far. */
export async function startPaymentWorld(
  options: {
    slotsInAnEpoch?: number
    policy?: FinalityPolicy
    rpcUrls?: (url: string) => string[]
    outbound?: (real: Outbound) => Outbound
    limits?: { minCents: bigint; maxCents: bigint }
    rates?: RateSource[]
    /** Puts up the factory it all begins with, where that is not this release's. */
    factory?: (chain: TestChain) => Promise<Wallet>
  } = {},
): Promise<PaymentWorld> {
  const chain = await startTestChain({ blockTime: 'manual', slotsInAnEpoch: options.slotsInAnEpoch ?? 2 })
  const logged: Record<string, unknown>[] = []
  const log: Log = makeLog('warn', { write: (line) => void logged.push(JSON.parse(line)) })
  const factory = (await options.factory?.(chain)) ?? chain.contracts.factory
  const network = describeNetwork(31337, { ...chain.contracts, factory })
  const policy = options.policy ?? makeFinalityPolicy({ isProduction: false, endpointCount: 1 })
  let connected: Chain | undefined
  let http: HttpOutbound | undefined
  const api = await startApi({
    ...(options.rates && { rates: options.rates }),
    deadlines: {
      now() {
        if (!connected) throw new Error('the chain is connected before anybody asks')
        return connected.time.now()
      },
    },
    more: ({ db, clock, rates, secrets }) => {
      http = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
      const outbound = options.outbound?.(http) ?? http
      connected = connectChain(
        { outbound, clock, log },
        network,
        options.rpcUrls?.(chain.rpcUrl) ?? [chain.rpcUrl],
      )
      const limits = options.limits ?? { minCents: 1n, maxCents: 100_000_000n }
      const offer = { rates, ...limits }
      const parts = { db, clock, random: systemRandom, log, chain: connected, policy }
      const platform = { feeBps: 50 as Bps, recipient: chain.accounts[1]?.address }
      const splits = { platform, hasDeployer: true, changeDelayMs: 0 }
      return [
        ...checkoutRoutes({ ...parts, offer }),
        ...unmatchedRoutes({ ...parts, rates, secrets }),
        ...splitRoutes({ ...parts, secrets, splits }),
      ]
    },
  })
  if (!connected || !http) throw new Error('the API asks for its routes')
  const client = chain.client
  const connection = http
  const needs: ScanNeeds = {
    db: api.needs.db,
    clock: api.clock,
    random: systemRandom,
    log,
    chain: connected,
    rates: api.needs.rates,
    policy,
  }
  const merchant = await api.addMerchant()
  const platform = { feeBps: 50 as Bps, recipient: chain.accounts[1]?.address }
  const { split } = await configureSplit({ ...needs, platform }, merchant.wallet, {})
  const account = chain.accounts[0]
  if (!account) throw new Error('there are five accounts')
  const signer = privateKeyToAccount(account.privateKey)
  await chain.fund(account.address)

  const ownJob = makeScanTransfersJob(needs)
  const audit = makeLastAudit(needs.db, chain)
  const world: PaymentWorld = {
    api,
    chain,
    merchant,
    buyer: account,
    needs,
    logged,
    async newReceipt(id, totalUsd, more = {}) {
      const body = {
        id,
        lineItems: [{ label: 'Thing', priceUsd: totalUsd }],
        totalUsd,
        webhook_url: 'https://merchant.example.com/hook',
        ...more,
      }
      const answer = await api.call('POST', '/api/receipts', { key: merchant.key, body })
      if (answer.status !== 201) throw new Error(answer.text)
    },
    async attempt(id, token, payer) {
      const path = `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`
      const answer = await api.call('POST', path, { body: { token, ...(payer && { payer }) } })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body
    },
    async checkout(id) {
      const answer = await api.call('GET', `/api/checkout/${id}?recipient=${merchant.wallet}`)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body
    },
    async status(id) {
      return (await world.checkout(id)).status
    },
    async pay(attempt, way, units = BigInt(attempt.remaining)) {
      const token = world.tokenAddress(attempt.token as TokenSymbol)
      if (way === 'transfer') {
        if (attempt.token === 'ETH') return world.send({ to: attempt.depositAddress as Hex, value: units })
        const args = [attempt.depositAddress as Hex, units] as const
        return world.send({
          to: token,
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
        })
      }
      let last: SentTransaction | undefined
      for (const { kind, to, data, value } of attempt.calls) {
        const word = units.toString(16).padStart(64, '0')
        const asked = BigInt(attempt.remaining).toString(16).padStart(64, '0')
        last = await world.send({
          to: to as Hex,
          data: data.replace(asked, word) as Hex,
          value: kind === 'pay' && attempt.token === 'ETH' ? units : BigInt(value),
        })
      }
      if (!last) throw new Error('an attempt has calls')
      return last
    },
    async send({ to, data = '0x', value = 0n, gas = 500_000n }) {
      const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
      const raw = await signer.signTransaction({
        chainId: 31337,
        type: 'eip1559',
        to,
        data,
        value,
        gas,
        nonce,
        maxFeePerGas: 100_000_000_000n,
        maxPriorityFeePerGas: 1n,
      })
      return { raw, hash: await client.sendRawTransaction({ serializedTransaction: raw }) }
    },
    tokenAddress(symbol) {
      const token = network.tokens.find((each) => each.symbol === symbol)
      if (!token) throw new Error(`no ${symbol}`)
      return token.address
    },
    mine: (blockCount) => chain.mine(blockCount),
    async syncClock() {
      const { timestamp } = await client.getBlock()
      api.clock.jumpTo(Number(timestamp) * 1000)
    },
    async scan(other) {
      await runToRest(other ? makeScanTransfersJob({ ...needs, ...other }) : ownJob)
    },
    async lookAtClosed(other) {
      const own = { ...needs, ...other }
      for (const job of [makeScanClosedJob(own), makeScanOldJob(own)]) await runToRest(job)
    },
    async notices(id) {
      const statement = {
        name: 'test-list-notices',
        text: `SELECT idempotency_key, sequence, body FROM notice WHERE merchant = $1 AND subject = $2
          ORDER BY sequence, created_at`,
      }
      const rows = await needs.db.rows<{ idempotency_key: string; sequence: bigint; body: string }>(
        statement,
        [merchant.wallet, id],
      )
      return rows.map((row) => ({
        key: row.idempotency_key,
        sequence: row.sequence,
        body: JSON.parse(row.body),
      }))
    },
    endsUneven: audit.endsUneven,
    async stop() {
      try {
        // What is in flight is no difference: so that all is compared, all becomes final first.
        await chain.mine(4 * (options.slotsInAnEpoch ?? 2))
        await world.scan()
        await runToRest(scanDistributionsJob(needs))
        await audit.run()
      } finally {
        await connection.close()
        await api.stop()
        await chain.stop()
      }
    },
  }
  await world.send({
    to: network.factory,
    gas: 2_000_000n,
    data: encodeFunctionData({
      abi: splitFactoryAbi,
      functionName: 'createSplit',
      args: [
        split.recipients.map(({ address }) => address),
        split.recipients.map(({ sharesBps }) => sharesBps),
        split.salt,
      ],
    }),
  })
  await chain.mine(6)
  const address = parseWallet(split.address)
  if (!address || !(await client.getCode({ address })))
    throw new Error('the split stands where it was predicted')
  await markDeployed(needs.db, 31337, { ...split, address }, { at: api.clock.now(), tx: undefined })
  await world.syncClock()
  await world.scan()
  return world
}

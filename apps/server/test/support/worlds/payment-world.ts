import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import type { SentTransaction, TestChain } from '../chain/test-chain.ts'
import { type ChainApi, type ChainOptions, startChainApi } from './chain-api.ts'
import { runToRest } from './run-to-rest.ts'
import type { JobChanges, JobName, TestMerchant } from './start-api.ts'

/** How a buyer pays: by a call that carries the reference, or by a plain transfer to the deposit address. */
export type PayWay = 'call' | 'transfer'

/** The service and a chain that mines when told, with a merchant who has a deployed split. */
export type PaymentWorld = Pick<
  ChainApi,
  | 'needs'
  | 'logged'
  | 'send'
  | 'transfer'
  | 'tokenAddress'
  | 'balanceOf'
  | 'run'
  | 'job'
  | 'endsUneven'
  | 'stop'
> & {
  readonly api: ChainApi
  readonly chain: TestChain
  readonly merchant: TestMerchant
  readonly buyer: { readonly address: Wallet; readonly privateKey: Hex }
  newReceipt(id: string, totalUsd: number, more?: Record<string, unknown>): Promise<void>
  attempt(id: string, token: TokenSymbol, payer?: Wallet): Promise<AttemptView>
  checkout(id: string): Promise<CheckoutView>
  status(id: string): Promise<string>
  /** The receipt as the merchant reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  detail(id: string): Promise<any>
  /** Signs and sends without mining; pays `units`, or what the attempt asks for. */
  pay(attempt: AttemptView, way: PayWay, units?: bigint): Promise<SentTransaction>
  mine(blockCount?: number): Promise<void>
  /** Sets the service's clock to the chain's newest block. */
  syncClock(): Promise<void>
  /** Runs the watcher until it has nothing more to do. */
  scan(changes?: JobChanges): Promise<void>
  /** Looks at the attempts that are closed, as far as it is time to. */
  lookAtClosed(changes?: JobChanges): Promise<void>
  /** Webhooks owed, oldest first. */
  notices(id: string): Promise<OwedNotice[]>
}

/** A webhook owed, without what differs from run to run. */
export type OwedNotice = {
  readonly key: string
  readonly sequence: bigint
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body
  readonly body: any
}

/** Starts it. The final block is four behind the newest where nothing else is said. */
export async function startPaymentWorld(options: ChainOptions = {}): Promise<PaymentWorld> {
  const api = await startChainApi({ slotsInAnEpoch: 2, ...options })
  const { node, needs } = api
  const [buyer] = node.accounts
  if (!buyer) throw new Error('there are five accounts')
  const merchant = await api.addMerchant()
  await node.fund(buyer.address)
  const ask = async (status: number, ...request: Parameters<ChainApi['call']>) => {
    const answer = await api.call(...request)
    if (answer.status !== status) throw new Error(answer.text)
    return answer.body
  }
  const runWith = async (changes: JobChanges | undefined, ...names: JobName[]) => {
    for (const name of names) await runToRest(api.job(name, changes))
  }
  const world: PaymentWorld = {
    ...api,
    api,
    chain: node,
    merchant,
    buyer,
    async newReceipt(id, totalUsd, more = {}) {
      const lineItems = [{ label: 'Thing', priceUsd: totalUsd }]
      const body = { id, lineItems, totalUsd, webhook_url: 'https://merchant.example.com/hook', ...more }
      await ask(201, 'POST', '/api/receipts', { key: merchant.key, body })
    },
    attempt: (id, token, payer) =>
      ask(201, 'POST', `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`, {
        body: { token, ...(payer && { payer }) },
      }),
    checkout: (id) => ask(200, 'GET', `/api/checkout/${id}?recipient=${merchant.wallet}`),
    status: async (id) => (await world.checkout(id)).status,
    detail: (id) => ask(200, 'GET', `/api/receipts/${id}`, { key: merchant.key }),
    async pay(attempt, way, units = BigInt(attempt.remaining)) {
      const isNative = attempt.token === 'ETH'
      if (way === 'transfer') {
        const token = isNative ? nativeAddress : api.tokenAddress(attempt.token as TokenSymbol)
        return api.transfer(token, attempt.depositAddress as Hex, units)
      }
      let last: SentTransaction | undefined
      for (const { kind, to, data, value } of attempt.calls) {
        const word = units.toString(16).padStart(64, '0')
        const asked = BigInt(attempt.remaining).toString(16).padStart(64, '0')
        last = await api.send({
          to: to as Hex,
          data: data.replace(asked, word) as Hex,
          value: kind === 'pay' && isNative ? units : BigInt(value),
        })
      }
      if (!last) throw new Error('an attempt has calls')
      return last
    },
    mine: (blockCount) => node.mine(blockCount),
    async syncClock() {
      const { timestamp } = await node.client.getBlock()
      api.clock.jumpTo(Number(timestamp) * 1000)
    },
    scan: (changes) => runWith(changes, 'scan-transfers'),
    lookAtClosed: (changes) => runWith(changes, 'scan-closed', 'scan-old'),
    async notices(id) {
      const statement = {
        name: 'test-list-notices',
        text: `SELECT idempotency_key, sequence, body FROM notice WHERE merchant = $1 AND subject = $2
          ORDER BY sequence, created_at`,
      }
      type Row = { idempotency_key: string; sequence: bigint; body: string }
      const rows = await needs.db.rows<Row>(statement, [merchant.wallet, id])
      return rows.map(({ idempotency_key: key, sequence, body }) => ({
        key,
        sequence,
        body: JSON.parse(body),
      }))
    },
  }
  await addDeployedSplit(api, merchant.wallet)
  await world.syncClock()
  await world.scan()
  return world
}

/** Makes a split as any wallet could, and takes it for deployed. */
async function addDeployedSplit({ node, needs, platform, clock }: ChainApi, merchant: Wallet): Promise<void> {
  const { split } = await configureSplit({ ...needs, platform }, merchant, {})
  const accounts = split.recipients.map(({ address }) => address)
  const shares = split.recipients.map(({ sharesBps }) => sharesBps)
  const args = [accounts, shares, split.salt] as const
  const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'createSplit', args })
  await node.send({ to: needs.chain.factory, gas: 2_000_000n, data })
  await node.mine(6)
  const address = parseWallet(split.address)
  if (!address || !(await node.client.getCode({ address })))
    throw new Error('the split stands where it was predicted')
  await markDeployed(needs.db, 31337, { ...split, address }, { at: clock.now(), tx: undefined })
}

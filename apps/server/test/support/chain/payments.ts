import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import type { SqlValue } from '../../../src/platform/database/columns.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import type { Answer } from '../api/call-api.ts'
import { logInAs } from '../api/sessions.ts'
import type { JobChanges, TestMerchant } from '../api/start-api.ts'
import { runToRest } from '../api/start-api.ts'
import { type ChainApi, type ChainOptions, startChainApi } from './chain-api.ts'
import type { SentTransaction, TestChain } from './test-chain.ts'

/** How a buyer pays: by a call that carries the reference, or by a plain transfer to the deposit address. */
export type PayWay = 'call' | 'transfer'

type Shared = 'needs' | 'logged' | 'send' | 'transfer' | 'tokenAddress' | 'balanceOf' | 'run' | 'job'

/** The service and a chain that mines when told, with a merchant who has a deployed split. */
export type PaymentContext = Pick<ChainApi, Shared | 'endsUneven' | 'stop'> & {
  readonly api: ChainApi
  readonly chain: TestChain
  readonly merchant: TestMerchant
  readonly buyer: { readonly address: Wallet; readonly privateKey: Hex }
  newReceipt(id: string, totalUsd: number, more?: Record<string, unknown>): Promise<void>
  attempt(id: string, token: TokenSymbol, payer?: Wallet): Promise<AttemptView>
  /** A new receipt, and an attempt to pay it. */
  open(id: string, totalUsd: number, token: TokenSymbol, payer?: Wallet): Promise<AttemptView>
  checkout(id: string): Promise<CheckoutView>
  status(id: string): Promise<string>
  /** The buyer's view of a payment, together with its receipt's status. */
  payment(id: string): Promise<CheckoutView['payment'] & Pick<CheckoutView, 'status' | 'transactionHash'>>
  /** The receipt as the merchant reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  detail(id: string): Promise<any>
  /** Signs and sends without mining; pays `units`, or what the attempt asks for. */
  pay(attempt: AttemptView, way: PayWay, units?: bigint): Promise<SentTransaction>
  /** Replaces the newest blocks, as `chain.reorg` does, and has the watcher read them. */
  reorg: TestChain['reorg']
  /** Sends a transaction again whose block is gone, where the node does not have it any more. */
  resend(sent: SentTransaction): Promise<void>
  mine(blockCount?: number): Promise<void>
  /** Sets the service's clock to the chain's newest block. */
  syncClock(): Promise<void>
  /** Time passes on the chain and for the service, and the chain's blocks of that time become final. */
  passTime(seconds: number, blockCount?: number): Promise<void>
  /** Runs the watcher until it has nothing more to do. */
  scan(changes?: JobChanges): Promise<void>
  mineAndScan(blockCount?: number): Promise<void>
  /** As {@link pay}; mines the block, and has the watcher read it. */
  payAndScan(attempt: AttemptView, way: PayWay, units?: bigint): Promise<SentTransaction>
  /** Looks at the attempts that are closed, as far as it is time to. */
  lookAtClosed(): Promise<void>
  /** Reads the new blocks, and then looks at the attempts that are closed. */
  look(): Promise<void>
  /** As {@link look}, so much later. */
  lookAfter(seconds: number): Promise<void>
  /** Webhooks owed, oldest first. */
  notices(id: string): Promise<OwedNotice[]>
  /** What the log has alerted of so far. */
  alerts(): unknown[]
  /** What a test looks up or changes in the database; no statement of the product. */
  rows<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]>
  /** A request of the merchant's owner, who has just logged in. */
  asOwner(method: string, path: string, body?: object): Promise<Answer>
  /** The unmatched payments of a transaction, as the owner sees them. */
  cases(hash: string): Promise<UnmatchedPayment[]>
}

/** A webhook owed, without what differs from run to run. */
export type OwedNotice = {
  readonly key: string
  readonly sequence: bigint
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body
  readonly body: any
}

/** Starts it. The final block is four behind the newest where nothing else is said. */
export async function startPayments(options: ChainOptions = {}): Promise<PaymentContext> {
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
  const world: PaymentContext = {
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
    async open(id, totalUsd, token, payer) {
      await world.newReceipt(id, totalUsd)
      return world.attempt(id, token, payer)
    },
    checkout: (id) => ask(200, 'GET', `/api/checkout/${id}?recipient=${merchant.wallet}`),
    status: async (id) => (await world.checkout(id)).status,
    async payment(id) {
      const { status, transactionHash, payment } = await world.checkout(id)
      return { ...payment, status, transactionHash }
    },
    detail: (id) => ask(200, 'GET', `/api/receipts/${id}`, { key: merchant.key }),
    pay: (attempt, way, units = BigInt(attempt.remaining)) =>
      way === 'call' ? payByCall(api, attempt, units) : payByTransfer(api, attempt, units),
    async reorg(...blocks) {
      await node.reorg(...blocks)
      await world.scan()
    },
    async resend({ raw }) {
      await node.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {})
    },
    mine: (blockCount) => node.mine(blockCount),
    async syncClock() {
      const { timestamp } = await node.client.getBlock()
      api.clock.jumpTo(Number(timestamp) * 1000)
    },
    async passTime(seconds, blockCount = 8) {
      await node.passTime(seconds)
      await node.mine(blockCount)
      await world.syncClock()
    },
    scan: (changes) => runToRest(api.job(jobNames.scanTransfers, changes)),
    async mineAndScan(blockCount) {
      await node.mine(blockCount)
      await world.scan()
    },
    async payAndScan(...payment) {
      const sent = await world.pay(...payment)
      await world.mineAndScan()
      return sent
    },
    lookAtClosed: () => api.run(jobNames.scanClosed, jobNames.scanOld),
    async look() {
      await world.scan()
      await world.lookAtClosed()
    },
    async lookAfter(seconds) {
      await world.passTime(seconds)
      await world.look()
    },
    async notices(id) {
      const rows = await world.rows<{ key: string; sequence: bigint; body: string }>(
        `SELECT idempotency_key AS key, sequence, body FROM notice WHERE merchant = $1 AND subject = $2
          ORDER BY sequence, created_at`,
        [merchant.wallet, id],
      )
      return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }))
    },
    alerts: () => api.logged.flatMap(({ alert }) => (alert === undefined ? [] : [alert])),
    rows: (text, values) => needs.db.rows({ name: '', text }, values),
    async asOwner(method, path, body) {
      const session = await logInAs(api, merchant.wallet, 'owner')
      return api.call(method, path, { session, body })
    },
    async cases(hash) {
      const { body } = await world.asOwner('GET', '/api/payments/unmatched?state=all&limit=200')
      return body.payments.filter((each: UnmatchedPayment) => each.transactionHash === hash)
    },
  }
  await addDeployedSplit(api, merchant.wallet)
  await world.syncClock()
  await world.scan()
  return world
}

function payByTransfer(api: ChainApi, { token, depositAddress }: AttemptView, units: bigint) {
  const address = token === 'ETH' ? nativeAddress : api.tokenAddress(token as TokenSymbol)
  return api.transfer(address, depositAddress as Hex, units)
}

async function payByCall(api: ChainApi, attempt: AttemptView, units: bigint): Promise<SentTransaction> {
  const wordOf = (amount: bigint) => amount.toString(16).padStart(64, '0')
  let last: SentTransaction | undefined
  for (const { kind, to, data, value } of attempt.calls) {
    last = await api.send({
      to: to as Hex,
      data: data.replace(wordOf(BigInt(attempt.remaining)), wordOf(units)) as Hex,
      value: kind === 'pay' && attempt.token === 'ETH' ? units : BigInt(value),
    })
  }
  if (!last) throw new Error('an attempt has calls')
  return last
}

/** Makes a split as any wallet could, and takes it for deployed. */
export async function addDeployedSplit(
  { node, needs, platform, clock }: ChainApi,
  merchant: Wallet,
): Promise<void> {
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

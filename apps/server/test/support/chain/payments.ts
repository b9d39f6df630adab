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
import { logInAs } from '../api/sessions.ts'
import { type JobChanges, runToRest } from '../api/start-api.ts'
import { type ChainApi, type ChainOptions, startChainApi } from './chain-api.ts'
import type { SentTransaction } from './test-chain.ts'

/**
 * The way in which a buyer pays: a call that carries the reference, or a plain transfer to the deposit
 * address.
 */
export type PayWay = 'call' | 'transfer'

/** The service and a chain that mines on request, with a merchant whose split is deployed. */
export type PaymentContext = Awaited<ReturnType<typeof startPayments>>

/** A webhook to deliver, without the parts that differ between runs. */
export type OwedMessage = {
  readonly key: string
  readonly sequence: bigint
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the body
  readonly body: any
}

/** Starts a {@link PaymentContext}. By default, the final block is four blocks behind the newest block. */
export async function startPayments(options: ChainOptions = {}) {
  const api = await startChainApi({ slotsInAnEpoch: 2, ...options })
  const { node, needs } = api
  const [buyer] = node.accounts
  if (!buyer) throw new Error('there are five accounts')
  const merchant = await api.addMerchant()
  await node.fund(buyer.address)

  async function ask(status: number, ...request: Parameters<ChainApi['call']>) {
    const response = await api.call(...request)
    if (response.status !== status) throw new Error(response.text)
    return response.body
  }
  async function newReceipt(id: string, totalUsd: number, more: Record<string, unknown> = {}): Promise<void> {
    const lineItems = [{ label: 'Thing', priceUsd: totalUsd }]
    const body = { id, lineItems, totalUsd, webhook_url: 'https://merchant.example.com/hook', ...more }
    await ask(201, 'POST', '/api/receipts', { key: merchant.key, body })
  }
  const attempt = (id: string, token: TokenSymbol, payer?: Wallet): Promise<AttemptView> =>
    ask(201, 'POST', `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`, {
      body: { token, ...(payer && { payer }) },
    })
  const checkout = (id: string): Promise<CheckoutView> =>
    ask(200, 'GET', `/api/checkout/${id}?recipient=${merchant.wallet}`)
  /** Signs and sends without mining. Pays `units`, or the remaining amount of the attempt. */
  const pay = (attempt: AttemptView, way: PayWay, units = BigInt(attempt.remaining)) =>
    way === 'call' ? payByCall(api, attempt, units) : payByTransfer(api, attempt, units)
  const scan = (changes?: JobChanges) => runToRest(api.job(jobNames.scanTransfers, changes))
  async function mineAndScan(blockCount?: number) {
    await node.mine(blockCount)
    await scan()
  }
  const lookAtClosed = () => api.run(jobNames.scanClosed, jobNames.scanOld)
  async function look() {
    await scan()
    await lookAtClosed()
  }
  async function syncClock() {
    const { timestamp } = await node.client.getBlock()
    api.clock.jumpTo(Number(timestamp) * 1000)
  }
  /** Advances the chain and the service's clock. The blocks mined in that time become final. */
  async function passTime(seconds: number, blockCount = 8) {
    await node.passTime(seconds)
    await node.mine(blockCount)
    await syncClock()
  }
  const rows = <Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]> =>
    needs.db.rows({ name: '', text }, values)
  async function asOwner(method: string, path: string, body?: object) {
    const session = await logInAs(api, merchant.wallet, 'owner')
    return api.call(method, path, { session, body })
  }

  await addDeployedSplit(api, merchant.wallet)
  await syncClock()
  await scan()
  return {
    ...api,
    api,
    chain: node,
    merchant,
    buyer,
    newReceipt,
    attempt,
    async open(id: string, totalUsd: number, token: TokenSymbol, payer?: Wallet) {
      await newReceipt(id, totalUsd)
      return attempt(id, token, payer)
    },
    checkout,
    status: async (id: string): Promise<string> => (await checkout(id)).status,
    async payment(id: string) {
      const { status, transactionHash, payment } = await checkout(id)
      return { ...payment, status, transactionHash }
    },
    detail: (id: string) => ask(200, 'GET', `/api/receipts/${id}`, { key: merchant.key }),
    pay,
    async reorg(...blocks: Parameters<typeof node.reorg>) {
      await node.reorg(...blocks)
      await scan()
    },
    /** Resends a transaction of an orphaned block, unless the node still has it. */
    async resend({ raw }: SentTransaction) {
      await node.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {})
    },
    mine: (blockCount?: number) => node.mine(blockCount),
    syncClock,
    passTime,
    scan,
    mineAndScan,
    async payAndScan(...payment: Parameters<typeof pay>) {
      const sent = await pay(...payment)
      await mineAndScan()
      return sent
    },
    lookAtClosed,
    look,
    async lookAfter(seconds: number) {
      await passTime(seconds)
      await look()
    },
    async messages(id: string): Promise<OwedMessage[]> {
      const found = await rows<{ key: string; sequence: bigint; body: string }>(
        `SELECT idempotency_key AS key, sequence, body FROM outbox_message WHERE merchant = $1 AND subject = $2
          ORDER BY sequence, created_at`,
        [merchant.wallet, id],
      )
      return found.map((row) => ({ ...row, body: JSON.parse(row.body) }))
    },
    alerts: () => api.logged.flatMap(({ alert }) => (alert === undefined ? [] : [alert])),
    rows,
    asOwner,
    async cases(hash: string): Promise<UnmatchedPayment[]> {
      const { body } = await asOwner('GET', '/api/payments/unmatched?state=all&limit=200')
      return body.payments.filter((each: UnmatchedPayment) => each.transactionHash === hash)
    },
  }
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

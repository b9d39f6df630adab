import { webhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import type { Bps, TokenUnits } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import type { PaidFacts, Trigger } from '../../../src/receipts/change-status.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import type { Split } from '../../../src/split/split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import type { Answer, CallOptions } from './call-api.ts'
import { logInAs, type TestSession } from './sessions.ts'
import { type ApiOptions, startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** The API of the contract, with a merchant that has a key, a shop's name and an owner who is logged in. */
export type MerchantApi = Omit<TestApi, 'move'> & {
  readonly merchant: TestMerchant
  readonly owner: TestSession
  /** With the merchant's key where `options` says nothing of it. */
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>
  /** With the owner's session and no key. */
  postAsOwner(path: string, body: unknown, options?: CallOptions): Promise<Answer>
  /** Makes a receipt of one line of 3.50 USD, changed by `fields`; its id. */
  newReceipt(fields?: object): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  detail(id: string): Promise<any>
  /** What a poll of its status is answered. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  status(id: string): Promise<any>
  /** Asks for an offer to pay a receipt, as its checkout does. */
  ask(id: string, token?: string): Promise<Answer>
  /** The owner takes a receipt for paid, as at a counter: no payment on the chain stands behind it. */
  takeForPaid(id: string): Promise<void>
  /** A receipt so small that the server, asked for an offer, sees it cannot be paid: it failed. Needs a split. */
  newFailedReceipt(fields?: object): Promise<string>
  /** What the feed tells of a receipt, oldest first: the bodies of its webhooks. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  told(id: string): Promise<any[]>
  /** A trigger through the one door, as the watcher or a provider's event has it pulled. */
  move(id: string, kind: Trigger['kind'], more?: Pick<Trigger, 'paid' | 'failure'>): Promise<void>
  /** Gives a merchant a split that is taken for deployed. */
  addSplit(merchant: Wallet): Promise<Split>
  /** Logs the owner in anew, with a login that is fresh by the world's clock. */
  logInOwner(): Promise<TestSession>
}

/** Who gets the platform's part, and how much that is. */
export const contractPlatform = {
  feeBps: 50 as Bps,
  recipient: parseWallet('0x00000000000000000000000000000000000000fe') as Wallet,
}

/** The deployment of the contract: it deploys splits by itself and takes payments from 1 to 10,000 USD. */
const deployment = {
  platformFeeBps: contractPlatform.feeBps,
  platformRecipient: contractPlatform.recipient,
  deployerKey: `0x${'d1'.repeat(32)}`,
  orderMinCents: 100n,
  orderMaxCents: 1_000_000n,
} as const

const webhookBodySchema = Compile(webhookBody)

/** What the server says of a receipt of less than the smallest payment. */
export const tooSmall = describeFailure('PORTAL_PAY_AMOUNT_BELOW_MINIMUM')

/** A payment of 3.50 USDC, as the watcher would tell it. */
export const paidFacts: PaidFacts = {
  transactionHash: `0x${'ab'.repeat(32)}`,
  transactionAt: Date.UTC(2026, 0, 15, 11, 59) as PaidFacts['transactionAt'],
  token: 'USDC',
  units: 3_500_000n as TokenUnits,
  buyerWallet: parseWallet('0x00000000000000000000000000000000000000bb') as Wallet,
}

/** Status and error code of an answer. */
export const refusalOf = ({ status, body }: Answer) => [status, body.error]

/** The body of a receipt of one line, changed by `fields`. */
export const receiptBody = (id: string, usd = 3.5, fields: object = {}) => ({
  id,
  lineItems: [{ label: 'Tea', priceUsd: usd }],
  totalUsd: usd,
  ...fields,
})

/** Starts it. */
export async function startMerchantApi(options: ApiOptions = {}): Promise<MerchantApi> {
  const api = await startApi({ ...deployment, ...options })
  const merchant = await api.addMerchant({ name: 'Blue Door' })
  const logInOwner = () => logInAs(api, merchant.wallet, 'owner')
  const owner = await logInOwner()
  const { key } = merchant
  let count = 0
  const world: MerchantApi = {
    ...api,
    merchant,
    owner,
    logInOwner,
    get: (path, more) => api.call('GET', path, { key, ...more }),
    post: (path, body, more) => api.call('POST', path, { key, body, ...more }),
    postAsOwner: (path, body, more) => api.call('POST', path, { session: owner, body, ...more }),
    async newReceipt(fields) {
      const body = receiptBody(`row-${++count}`, 3.5, fields)
      const answer = await world.post('/api/receipts', body)
      if (answer.status !== 201) throw new Error(answer.text)
      return body.id
    },
    async detail(id) {
      const answer = await world.get(`/api/receipts/${encodeURIComponent(id)}`)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body
    },
    async status(id) {
      const answer = await world.get(`/api/receipts/status?receiptId=${encodeURIComponent(id)}`)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body
    },
    ask(id, token = 'USDC') {
      const path = `/api/checkout/${encodeURIComponent(id)}/attempts?recipient=${merchant.wallet}`
      return api.call('POST', path, { body: { token } })
    },
    async takeForPaid(id) {
      const body = { receiptId: id, wallet: merchant.wallet, status: 'checkout_success' }
      const answer = await api.call('POST', '/api/receipts/status', { session: await logInOwner(), body })
      if (answer.status !== 200) throw new Error(answer.text)
    },
    async newFailedReceipt(fields) {
      const tiny = { lineItems: [{ label: 'Tea', priceUsd: 0.99 }], totalUsd: 0.99 }
      const id = await world.newReceipt({ ...tiny, ...fields })
      const answer = await world.ask(id)
      if (answer.body.error !== 'invalid_amount') throw new Error(answer.text)
      return id
    },
    async told(id) {
      const answer = await world.get('/api/events?limit=200')
      if (answer.status !== 200 || answer.body.nextCursor !== null) throw new Error(answer.text)
      const about = answer.body.events.filter((each: { receiptId: string }) => each.receiptId === id)
      return about.map(({ body }: { body: string }) => checkWebhookBody(JSON.parse(body)))
    },
    async move(id, kind, more) {
      await api.move(merchant.wallet, id, kind, more)
    },
    async addSplit(wallet) {
      const { split } = await configureSplit({ ...api.needs, platform: contractPlatform }, wallet, {})
      await markDeployed(api.needs.db, 31337, split, { at: api.clock.now(), tx: undefined })
      return split
    },
  }
  return world
}

/** What a webhook tells is what the API's document says of it. */
function checkWebhookBody(body: unknown) {
  const faults = webhookBodySchema.Errors(body)
  if (faults.length > 0) throw new Error(`A webhook is not as documented: ${JSON.stringify(faults)}`)
  return body
}

import { webhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import type { Bps, TokenUnits } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import type { PaidFacts, Trigger } from '../../../src/receipts/change-status.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import type { ApiResponse, CallOptions } from './call-api.ts'
import { makeReceipt, receiptBody, takeForPaid } from './receipts.ts'
import { logInAs } from './sessions.ts'
import { type ApiOptions, startApi } from './start-api.ts'

export type MerchantApi = Awaited<ReturnType<typeof startMerchantApi>>

export const contractPlatform = {
  feeBps: 50 as Bps,
  recipient: parseWallet('0x00000000000000000000000000000000000000fe') as Wallet,
}

/** A deployment that deploys splits and accepts payments between 1 and 10,000 USD. */
const deployment = {
  platformFeeBps: contractPlatform.feeBps,
  platformRecipient: contractPlatform.recipient,
  deployerKey: `0x${'d1'.repeat(32)}`,
  orderMinCents: 100n,
  orderMaxCents: 1_000_000n,
} as const

const webhookBodySchema = Compile(webhookBody)

export const tooSmall = describeFailure('PORTAL_PAY_AMOUNT_BELOW_MINIMUM')

export const paidFacts: PaidFacts = {
  transactionHash: `0x${'ab'.repeat(32)}`,
  transactionAt: Date.UTC(2026, 0, 15, 11, 59) as PaidFacts['transactionAt'],
  token: 'USDC',
  units: 3_500_000n as TokenUnits,
  buyerWallet: parseWallet('0x00000000000000000000000000000000000000bb') as Wallet,
}

export const apiErrorOf = ({ status, body }: ApiResponse) => [status, body.error]

export async function startMerchantApi(options: ApiOptions = {}) {
  const api = await startApi({ ...deployment, ...options })
  const merchant = await api.addMerchant({ name: 'Blue Door' })
  /** Logs the owner in again, so that the login is recent according to the test's clock. */
  const logInOwner = () => logInAs(api, merchant.wallet, 'owner')
  const owner = await logInOwner()
  const { key } = merchant
  let count = 0

  const get = (path: string, more?: CallOptions) => api.call('GET', path, { key, ...more })
  const post = (path: string, body: unknown, more?: CallOptions) =>
    api.call('POST', path, { key, body, ...more })
  async function read(path: string) {
    const response = await get(path)
    if (response.status !== 200) throw new Error(response.text)
    return response.body
  }
  /** Creates a receipt with one line of 3.50 USD, overridden by `fields`. Returns its id. */
  async function newReceipt(fields?: object) {
    const body = receiptBody(`row-${++count}`, 3.5, fields)
    await makeReceipt(api, merchant, body)
    return body.id
  }
  const ask = (id: string, token = 'USDC') =>
    api.call('POST', `/api/checkout/${encodeURIComponent(id)}/attempts?recipient=${merchant.wallet}`, {
      body: { token },
    })
  return {
    ...api,
    merchant,
    owner,
    logInOwner,
    get,
    post,
    postAsOwner: (path: string, body: unknown, more?: CallOptions) =>
      api.call('POST', path, { session: owner, body, ...more }),
    newReceipt,
    detail: (id: string) => read(`/api/receipts/${encodeURIComponent(id)}`),
    status: (id: string) => read(`/api/receipts/status?receiptId=${encodeURIComponent(id)}`),
    ask,
    /** Marks a receipt as paid on its owner's behalf, without an on-chain payment. */
    takeForPaid: async (id: string) => takeForPaid(api, merchant, await logInOwner(), id),
    async newFailedReceipt(fields?: object) {
      const tiny = { lineItems: [{ label: 'Tea', priceUsd: 0.99 }], totalUsd: 0.99 }
      const id = await newReceipt({ ...tiny, ...fields })
      const response = await ask(id)
      if (response.body.error !== 'invalid_amount') throw new Error(response.text)
      return id
    },
    /** Returns the webhook bodies about a receipt from the event feed, oldest first. */
    async reported(id: string) {
      const { events, nextCursor } = await read('/api/events?limit=200')
      if (nextCursor !== null) throw new Error('the feed has more pages')
      const about = events.filter((each: { receiptId: string }) => each.receiptId === id)
      return about.map(({ body }: { body: string }) => checkWebhookBody(JSON.parse(body)))
    },
    async move(id: string, kind: Trigger['kind'], more?: Pick<Trigger, 'paid' | 'failure'>) {
      await api.move(merchant.wallet, id, kind, more)
    },
    async addSplit(wallet: Wallet) {
      const { split } = await configureSplit({ ...api.needs, platform: contractPlatform }, wallet, {})
      await markDeployed(api.needs.db, 31337, split, { at: api.clock.now(), tx: undefined })
      return split
    },
  }
}

function checkWebhookBody(body: unknown) {
  const errors = webhookBodySchema.Errors(body)
  if (errors.length > 0) throw new Error(`A webhook is not as documented: ${JSON.stringify(errors)}`)
  return body
}

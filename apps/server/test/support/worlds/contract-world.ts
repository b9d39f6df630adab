import { webhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import type { Bps, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { inventoryRoutes } from '../../../src/inventory/routes.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import { findOwnTaxRate } from '../../../src/merchants/find-settings.ts'
import { orderRoutes } from '../../../src/orders/routes.ts'
import { taxRoutes } from '../../../src/orders/tax-routes.ts'
import { checkoutRoutes } from '../../../src/payments/checkout/routes.ts'
import { makeFinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import { makeLog } from '../../../src/platform/log.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { changeStatus, type PaidFacts, type Trigger } from '../../../src/receipts/change-status.ts'
import { findMerchantBySlug } from '../../../src/shop/find-merchant-by-slug.ts'
import { shopRoutes } from '../../../src/shop/routes.ts'
import { failureCodeRoutes } from '../../../src/site/failure-code-routes.ts'
import { siteRoutes } from '../../../src/site/routes.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { splitRoutes } from '../../../src/split/routes.ts'
import { configureSplit, type PlatformFee } from '../../../src/split/setup/configure-split.ts'
import type { Split } from '../../../src/split/split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import { webhookRoutes } from '../../../src/webhooks/routes.ts'
import { logInAs, type TestSession } from '../asking/log-in.ts'
import {
  type Answer,
  type ApiOptions,
  type CallOptions,
  startApi,
  type TestApi,
  type TestMerchant,
} from './start-api.ts'

/** The API of the contract, with a merchant that has a key, a shop's name and an owner who is logged in. */
export type ContractWorld = TestApi & {
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

/** What a contract world may be told beside what the API may. */
export type ContractOptions = Omit<ApiOptions, 'more'> & {
  readonly platform?: PlatformFee
  readonly siteConfigRequiresKey?: boolean
}

/** Who gets the platform's part, and how much that is. */
export const contractPlatform = {
  feeBps: 50 as Bps,
  recipient: parseWallet('0x00000000000000000000000000000000000000fe') as Wallet,
}

const network = describeNetwork(31337, localContracts())

/** A chain that was looked at once, so that its time is known, and that nobody can ask any more. */
function awayChain(clock: Clock): Chain {
  const log = makeLog('silent')
  const chain = connectChain({ outbound: offline(), clock, log }, network, ['http://127.0.0.1:9'])
  chain.time.note({ number: 1n, at: clock.now() })
  return chain
}

const webhookBodySchema = Compile(webhookBody)
const policy = makeFinalityPolicy({ isProduction: false, endpointCount: 1 })
/** The smallest and largest payment. */
const limits = { minCents: 100n, maxCents: 1_000_000n }

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

/** Starts it. */
export async function startContractWorld(options: ContractOptions = {}): Promise<ContractWorld> {
  const { platform = contractPlatform, siteConfigRequiresKey = false, ...rest } = options
  let chain: Chain | undefined
  const chainAt = (clock: Clock) => {
    chain ??= awayChain(clock)
    return chain
  }
  const api = await startApi({
    ...rest,
    more: (needs) => [
      ...inventoryRoutes({
        ...needs,
        random: systemRandom,
        findBySlug: (slug) => findMerchantBySlug(needs.db, slug),
      }),
      ...orderRoutes({
        ...needs,
        random: systemRandom,
        platform,
        findOwnTaxRate: (merchant, code) => findOwnTaxRate(needs, merchant, code),
      }),
      ...taxRoutes(),
      ...splitRoutes({
        ...needs,
        chain: chainAt(needs.clock),
        splits: { platform, hasDeployer: true, changeDelayMs: 0 },
      }),
      ...shopRoutes({
        ...needs,
        hasSplit: async (merchant) => (await findCurrentSplit(needs.db, merchant)) !== undefined,
      }),
      ...siteRoutes({ ...needs, site: { ...needs.site, siteConfigRequiresKey } }),
      ...failureCodeRoutes(),
      ...webhookRoutes({
        ...needs,
        random: systemRandom,
        receivers: { outbound: offline(), isProduction: false, brandKeyOf: async () => 'service' },
      }),
      ...checkoutRoutes({
        ...needs,
        random: systemRandom,
        log: makeLog('silent'),
        chain: chainAt(needs.clock),
        policy,
        offer: { rates: needs.rates, ...limits },
      }),
    ],
  })
  const merchant = await api.addMerchant({ name: 'Blue Door' })
  const logInOwner = () => logInAs(api, merchant.wallet, 'owner')
  const owner = await logInOwner()
  const { key } = merchant
  let count = 0
  const world: ContractWorld = {
    ...api,
    merchant,
    owner,
    logInOwner,
    get: (path, more) => api.call('GET', path, { key, ...more }),
    post: (path, body, more) => api.call('POST', path, { key, body, ...more }),
    postAsOwner: (path, body, more) => api.call('POST', path, { session: owner, body, ...more }),
    async newReceipt(fields) {
      const body = {
        id: `row-${++count}`,
        lineItems: [{ label: 'Tea', priceUsd: 3.5 }],
        totalUsd: 3.5,
        ...fields,
      }
      const answer = await world.post('/api/receipts', body)
      if (answer.status !== 201) throw new Error(answer.text)
      return body.id
    },
    async detail(id) {
      const answer = await world.get(`/api/receipts/${encodeURIComponent(id)}`)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body
    },
    async takeForPaid(id) {
      const body = { receiptId: id, wallet: merchant.wallet, status: 'checkout_success' }
      const answer = await api.call('POST', '/api/receipts/status', { session: await logInOwner(), body })
      if (answer.status !== 200) throw new Error(answer.text)
    },
    async newFailedReceipt(fields) {
      const tiny = { lineItems: [{ label: 'Tea', priceUsd: 0.99 }], totalUsd: 0.99 }
      const id = await world.newReceipt({ ...tiny, ...fields })
      const path = `/api/checkout/${encodeURIComponent(id)}/attempts?recipient=${merchant.wallet}`
      const answer = await api.call('POST', path, { body: { token: 'USDC' } })
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
      const { db, clock } = api.needs
      await db.transaction((tx) =>
        changeStatus(
          { tx, clock, random: systemRandom, log: makeLog('silent') },
          merchant.wallet,
          id as ReceiptId,
          {
            kind,
            detail: {},
            ...more,
          },
        ),
      )
    },
    async addSplit(wallet) {
      const parts = { ...api.needs, chain: chainAt(api.clock), platform: contractPlatform }
      const { split } = await configureSplit(parts, wallet, {})
      await markDeployed(api.needs.db, network.id, split, { at: api.clock.now(), tx: undefined })
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

function offline(): Outbound {
  return { request: async () => ({ kind: 'fault', fault: 'network', detail: 'this test has no chain' }) }
}

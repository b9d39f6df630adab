import { randomBytes } from 'node:crypto'
import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { inventoryRoutes } from '../../../src/inventory/routes.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { findSettings } from '../../../src/merchants/find-settings.ts'
import { orderRoutes } from '../../../src/orders/routes.ts'
import { settleStockJob } from '../../../src/orders/settle-stock.ts'
import { taxRoutes } from '../../../src/orders/tax-routes.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { configureSplit, type PlatformFee } from '../../../src/split/setup/configure-split.ts'
import { type Answer, type ApiOptions, startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** The API of inventory, orders and tax on a real database, without a chain. */
export type TestShop = TestApi & {
  /** A merchant that can take orders. */
  addShop(options?: { scopes?: readonly Scope[] }): Promise<TestMerchant>
  addProduct(merchant: TestMerchant, fields?: Record<string, unknown>): Promise<string>
  stockOf(merchant: TestMerchant, id: string): Promise<number>
  order(merchant: TestMerchant, body: object): Promise<Answer>
  /** Settles the stock of what is due, as one replica would. */
  settle(): Promise<void>
}

/** Any factory will do: no chain is asked. */
const factory = parseWallet('0x00000000000000000000000000000000000000fa') as Wallet

/** Starts the API with what sells. */
export async function startShop(
  options: {
    platform?: PlatformFee
    slugs?: ReadonlyMap<string, Wallet>
    deadlines?: NonNullable<ApiOptions['deadlines']>
  } = {},
): Promise<TestShop> {
  const platform = options.platform ?? { feeBps: 0 as Bps, recipient: undefined }
  const api = await startApi({
    ...(options.deadlines && { deadlines: options.deadlines }),
    more: (needs) => [
      ...inventoryRoutes({
        ...needs,
        random: systemRandom,
        findBySlug: options.slugs && (async (slug) => options.slugs?.get(slug)),
      }),
      ...orderRoutes({
        ...needs,
        random: systemRandom,
        platform,
        findOwnTaxRate: async (merchant, code) =>
          (await findSettings(needs.db, merchant)).taxRates.find((own) => own.jurisdictionCode === code),
      }),
      ...taxRoutes(),
    ],
  })
  const { pool: db } = api.database
  const job = settleStockJob({ db, clock: api.clock, log: makeLog('silent'), chain: { id: 31337 } })
  return {
    ...api,
    async addShop(more) {
      const merchant = await api.addMerchant(more)
      const fee = { feeBps: 0 as Bps, recipient: undefined }
      await configureSplit(
        { db, clock: api.clock, chain: { id: 31337, factory }, platform: fee },
        merchant.wallet,
        {},
      )
      return merchant
    },
    async addProduct(merchant, fields = {}) {
      const body = { sku: `sku-${randomBytes(6).toString('hex')}`, name: 'Coffee', priceUsd: 3.5, ...fields }
      const answer = await api.call('POST', '/api/inventory', { key: merchant.key, body })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.item.id
    },
    async stockOf(merchant, id) {
      return (await api.call('GET', `/api/inventory/${id}`, { key: merchant.key })).body.item.stockQty
    },
    order: (merchant, body) =>
      api.call('POST', '/api/orders', {
        key: merchant.key,
        body: { jurisdictionCode: 'US-OR', ...body },
      }),
    async settle() {
      for (let round = 0; (await job.run(new AbortController().signal)) === 'again'; round++)
        if (round > 100) throw new Error('the job does not come to rest')
    },
  }
}

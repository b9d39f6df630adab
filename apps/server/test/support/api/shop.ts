import { randomBytes } from 'node:crypto'
import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { randomWallet } from '../chain/chain-api.ts'
import type { Answer } from './call-api.ts'
import { type ApiOptions, startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** The API, with what a test of inventory, orders and tax asks again and again. */
export type TestShop = TestApi & {
  /** A merchant that can take orders. */
  addShop(options?: { scopes?: readonly Scope[] }): Promise<TestMerchant>
  addProduct(merchant: TestMerchant, fields?: Record<string, unknown>): Promise<string>
  /** As {@link addProduct}; its sku. */
  addSku(merchant: TestMerchant, fields?: Record<string, unknown>): Promise<string>
  stockOf(merchant: TestMerchant, id: string): Promise<number>
  order(merchant: TestMerchant, body: object): Promise<Answer>
  /** Settles the stock of what is due, as one replica would. */
  settle(): Promise<void>
}

/** A sku that no product has yet. */
export const newSku = () => `sku-${randomBytes(6).toString('hex')}`

/** Starts it. The platform takes nothing where `options` does not say so. */
export async function startShop(options: ApiOptions = {}): Promise<TestShop> {
  const api = await startApi({ platformFeeBps: 0, ...options })
  const noFee = { feeBps: 0 as Bps, recipient: undefined }
  const shop: TestShop = {
    ...api,
    async addShop(more) {
      const merchant = await api.addMerchant(more)
      await configureSplit({ ...api.needs, platform: noFee }, merchant.wallet, {})
      return merchant
    },
    async addProduct(merchant, fields = {}) {
      const body = { sku: newSku(), name: 'Coffee', priceUsd: 3.5, ...fields }
      const answer = await api.call('POST', '/api/inventory', { key: merchant.key, body })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.item.id
    },
    async addSku(merchant, fields) {
      const sku = newSku()
      await shop.addProduct(merchant, { sku, ...fields })
      return sku
    },
    async stockOf(merchant, id) {
      return (await api.call('GET', `/api/inventory/${id}`, { key: merchant.key })).body.item.stockQty
    },
    order: (merchant, body) =>
      api.call('POST', '/api/orders', {
        key: merchant.key,
        body: { jurisdictionCode: 'US-OR', ...body },
      }),
    settle: () => api.run(jobNames.settleStock),
  }
  return shop
}

/** Gives a merchant a split, so that it can be paid. */
export async function addSplit({ needs }: TestApi, merchant: Wallet): Promise<void> {
  const platform = { feeBps: 50 as Bps, recipient: randomWallet() }
  await configureSplit({ ...needs, platform }, merchant, {})
}

import { randomBytes } from 'node:crypto'
import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { randomWallet } from '../chain/chain-api.ts'
import { type ApiOptions, startApi, type TestApi, type TestMerchant } from './start-api.ts'

export type TestShop = Awaited<ReturnType<typeof startShop>>

export const newSku = () => `sku-${randomBytes(6).toString('hex')}`

/** Starts a {@link TestShop}. Its default platform fee is 0. */
export async function startShop(options: ApiOptions = {}) {
  const api = await startApi({ platformFeeBps: 0, ...options })
  const noFee = { feeBps: 0 as Bps, recipient: undefined }
  async function addProduct({ key }: TestMerchant, fields: Record<string, unknown> = {}): Promise<string> {
    const body = { sku: newSku(), name: 'Coffee', priceUsd: 3.5, ...fields }
    const response = await api.call('POST', '/api/inventory', { key, body })
    if (response.status !== 201) throw new Error(response.text)
    return response.body.item.id
  }
  return {
    ...api,
    async addShop(more?: { scopes?: readonly Scope[] }) {
      const merchant = await api.addMerchant(more)
      await configureSplit({ ...api.needs, platform: noFee }, merchant.wallet, {})
      return merchant
    },
    addProduct,
    /** Adds a product like `addProduct`, but returns the SKU. */
    async addSku(merchant: TestMerchant, fields?: Record<string, unknown>) {
      const sku = newSku()
      await addProduct(merchant, { sku, ...fields })
      return sku
    },
    async stockOf({ key }: TestMerchant, id: string): Promise<number> {
      return (await api.call('GET', `/api/inventory/${id}`, { key })).body.item.stockQty
    },
    order: ({ key }: TestMerchant, body: object) =>
      api.call('POST', '/api/orders', { key, body: { jurisdictionCode: 'US-OR', ...body } }),
    settle: () => api.run(jobNames.settleStock),
  }
}

export async function addSplit({ needs }: TestApi, merchant: Wallet): Promise<void> {
  const platform = { feeBps: 50 as Bps, recipient: randomWallet() }
  await configureSplit({ ...needs, platform }, merchant, {})
}

import type { Arrangement, IndustryPack, ShopTheme } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findStoredImage } from '../../../src/app/find-stored-image.ts'
import { makeAddressOf, makeAdmit } from '../../../src/app/http/limit-outside.ts'
import { readThemeSettings } from '../../../src/app/read-theme-settings.ts'
import { makeStores } from '../../../src/app/storefronts.ts'
import type { EncodedImage } from '../../../src/images/image.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import { PageThemes } from '../../../src/pages/theme/page-themes.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { emptyPages } from '../browser/empty-pages.ts'
import { randomWallet } from './chain-api.ts'
import { addSplit } from './shop-api.ts'
import { type ApiOptions, startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** A shop of a test; what is left out is as the product has it. */
export type StoreOptions = {
  readonly slug: string
  readonly name?: string
  readonly description?: string
  readonly bio?: string
  readonly arrangement?: Arrangement
  readonly pack?: IndustryPack
  readonly links?: readonly { label: string; url: string }[]
  readonly theme?: Partial<ShopTheme>
  readonly products?: readonly Record<string, unknown>[]
  /** Without one nobody can pay. */
  readonly hasSplit?: boolean
}

/** A merchant with a storefront. */
export type Store = TestMerchant & { readonly url: string; readonly slug: string }

/** The storefronts of the product over a real database; its checkout finds no receipt. */
export type StoreWorld = {
  readonly api: TestApi
  /** What every remote picture is; without one none can be had. */
  readonly pictures: { image?: EncodedImage }
  addStore(options: StoreOptions): Promise<Store>
  put(store: TestMerchant, product: Record<string, unknown>): Promise<void>
  close(): Promise<void>
}

/** Starts them. */
export async function startStoreWorld(options: ApiOptions = {}): Promise<StoreWorld> {
  const pictures: StoreWorld['pictures'] = {}
  const api = await startApi({
    baseUrl: 'http://127.0.0.1',
    platformRecipient: randomWallet(),
    ...options,
    async extend(app, _routes, { parts, config }) {
      const find = async () => {
        throw new Refusal('not_found', 'Receipt not found')
      }
      await registerPages(app, {
        ...parts,
        admit: makeAdmit(parts),
        addressOf: makeAddressOf(parts.gate),
        ...emptyPages,
        checkouts: { find, openAttempt: find, findOnSuccess: find },
        stores: makeStores(parts, config),
        themes: new PageThemes(parts, (merchant, host) => readThemeSettings(parts.db, merchant, host)),
        images: {
          store: {
            find: async () =>
              pictures.image
                ? { kind: 'image', image: pictures.image }
                : { kind: 'fault', fault: 'unreachable' },
            close: () => {},
          },
          findStored: (owner, slot) => findStoredImage(parts.db, owner, slot),
        },
        site: {
          baseUrl: config.baseUrl,
          isProduction: false,
          localRpcUrl: undefined,
          brandName: async () => 'Sluice',
        },
      })
    },
  })
  const put: StoreWorld['put'] = async ({ key }, product) => {
    const { status, text } = await api.call('POST', '/api/inventory', { key, body: product })
    if (status >= 300) throw new Error(text)
  }
  return {
    api,
    pictures,
    put,
    async addStore({ products = [], hasSplit = true, pack, ...shop }) {
      const merchant = await api.addMerchant()
      await changeShop(api.needs, merchant.wallet as Wallet, {
        name: 'Harbour Coffee Roasters',
        ...shop,
        ...(pack && { industryPack: pack }),
      })
      if (hasSplit) await addSplit(api, merchant.wallet)
      for (const product of products) await put(merchant, product)
      return { ...merchant, slug: shop.slug, url: `${api.url}/shop/${shop.slug}` }
    },
    close: () => api.stop(),
  }
}

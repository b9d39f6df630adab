import { request } from 'node:http'
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
import { randomWallet } from '../chain/chain-api.ts'
import { addSplit } from './shop.ts'
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
export type Storefronts = {
  readonly api: TestApi
  /** What every remote picture is; without one none can be had. */
  readonly pictures: { image?: EncodedImage }
  addStore(options: StoreOptions): Promise<Store>
  put(store: TestMerchant, product: Record<string, unknown>): Promise<void>
  close(): Promise<void>
}

/** Starts them. */
export async function startStorefronts(options: ApiOptions = {}): Promise<Storefronts> {
  const pictures: Storefronts['pictures'] = {}
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
        ...emptyPages,
        admit: makeAdmit(parts),
        addressOf: makeAddressOf(parts.gate),
        checkouts: {
          find,
          openAttempt: find,
          findOnSuccess: async () => undefined,
          findPayUrl: async () => '',
        },
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
        },
      })
    },
  })
  const put: Storefronts['put'] = async ({ key }, product) => {
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

/** What a page was answered with. */
export type PageReply = {
  readonly status: number
  /** Where it sends its reader. */
  readonly location: string | undefined
  readonly setCookie: string | undefined
  readonly text: string
}

/** A visitor of a shop without scripts: keeps its cookie, and sends forms as a browser does. */
export class StoreVisitor {
  readonly #url: string
  cookie: string | undefined

  /** @param url - The shop's. */
  constructor(url: string) {
    this.#url = url
  }

  /** A page of the shop, by what stands behind its address. */
  get(path = '', headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#ask('GET', path, headers)
  }

  /** Sends a form as a page of the shop would; `headers` say otherwise, and `undefined` leaves one out. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PageReply> {
    const own = { 'sec-fetch-site': 'same-origin', origin: new URL(this.#url).origin, ...headers }
    const sent = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const body = new URLSearchParams(fields).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#ask('POST', path, { ...type, ...Object.fromEntries(sent) }, body)
  }

  /** Puts something into the cart. */
  add(product: string, fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/cart', { add: product, ...fields })
  }

  /** Checks out as the cart shows itself now, with what else was filled in. */
  async checkOut(fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/checkout', { ...hiddenFields((await this.get('/cart')).text), ...fields })
  }

  #ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<PageReply> {
    const url = new URL(this.#url + path)
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie }
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers: { ...cookie, ...headers } }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const [setCookie] = answer.headers['set-cookie'] ?? []
          if (setCookie !== undefined) this.cookie = setCookie.split(';')[0]
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location,
            setCookie,
            text: Buffer.concat(chunks).toString(),
          })
        })
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }
}

/** What the cart's form would send: its hidden fields, quantities and the place that is chosen. */
function hiddenFields(page: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    const value = /value="([^"]*)"/.exec(tag)?.[1]
    if (name && value !== undefined && /^(qty:|total$)/.test(name)) fields[name] = value
  }
  const place = /<option value="([^"]+)" selected>/.exec(page)?.[1]
  return { ...fields, ...(page.includes('name="place"') && { place: place ?? '' }) }
}

import type { OutgoingHttpHeaders } from 'node:http'
import type { Arrangement, IndustryPack, ShopTheme } from '@sluice/protocol/api/shop.ts'
import type { FastifyInstance } from 'fastify'
import { findStoredImage, readThemeSettings } from '../../../src/app/find-stored-image.ts'
import { makeAddressOf, makeAdmit } from '../../../src/app/http/limit-outside.ts'
import { receiptPageParts, respondToPrograms } from '../../../src/app/receipt-pages.ts'
import { checkoutParts } from '../../../src/app/routes.ts'
import { makeStores } from '../../../src/app/storefronts.ts'
import type { EncodedImage } from '../../../src/images/image.ts'
import { ApiError } from '../../../src/kernel/api-error.ts'
import { type PageNeeds, registerPages } from '../../../src/pages/register-pages.ts'
import { makeFindTheme } from '../../../src/pages/theme/make-theme.ts'
import { plainTheme } from '../../../src/pages/theme/page-theme.ts'
import { findCheckout, getPayableReceipt } from '../../../src/payments/checkout/find-checkout.ts'
import { openAttempt } from '../../../src/payments/checkout/open-attempt.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { emptyPages } from '../browser/empty-pages.ts'
import { randomWallet } from '../chain/chain-api.ts'
import { ask } from './raw-requests.ts'
import { addSplit } from './shop.ts'
import { type ApiOptions, startApi, type TestMerchant } from './start-api.ts'

/** The options of a shop. Absent fields have Sluice's default values. */
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
  readonly hasSplit?: boolean
}

export type Store = TestMerchant & { readonly url: string; readonly slug: string }

export type Storefronts = Awaited<ReturnType<typeof startStorefronts>>

export async function startStorefronts(options: ApiOptions = {}) {
  const pictures: { image?: EncodedImage } = {}
  const api = await startApi({
    baseUrl: 'http://127.0.0.1',
    platformRecipient: randomWallet(),
    ...options,
    extend: (app, _routes, { parts, config }) =>
      addPages(
        app,
        { parts, config },
        {
          stores: makeStores(parts, config),
          themes: {
            find: makeFindTheme(parts.log, (merchant, host) => readThemeSettings(parts.db, merchant, host)),
          },
          images: {
            store: {
              find: async () => (pictures.image ? { kind: 'image', image: pictures.image } : unreachable),
              close: () => {},
            },
            findStored: (owner, slot) => findStoredImage(parts.db, owner, slot),
          },
        },
      ),
  })
  async function put({ key }: TestMerchant, product: Record<string, unknown>) {
    const { status, text } = await api.call('POST', '/api/inventory', { key, body: product })
    if (status >= 300) throw new Error(text)
  }
  return {
    api,
    pictures,
    put,
    async addStore({ products = [], hasSplit = true, pack, ...shop }: StoreOptions): Promise<Store> {
      const merchant = await api.addMerchant()
      await changeShop(api.needs, merchant.wallet, {
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

/** Adds the buyers' pages to an API. The pages use the API's database and chain, and the plain theme. */
export const addRealPages: NonNullable<ApiOptions['extend']> = async (app, _routes, { parts, config }) => {
  const checkout = checkoutParts(parts, config)
  await addPages(
    app,
    { parts, config },
    {
      ...receiptPageParts(parts, config),
      clock: parts.chain.time,
      checkouts: {
        ...noCheckouts,
        find: (request) => findCheckout(checkout, request.id, request),
        openAttempt: async (request, token) =>
          openAttempt(checkout, await getPayableReceipt(parts, request.id, request), { token }, 'page'),
      },
      respondToProgram: respondToPrograms(parts, config),
    },
  )
}

const unreachable = { kind: 'error', error: 'unreachable' } as const

async function refuse(): Promise<never> {
  throw new ApiError('not_found', 'Receipt not found')
}

const noCheckouts = {
  find: refuse,
  openAttempt: refuse,
  findOnSuccess: async () => undefined,
  findPayUrl: async () => '',
}

type Made = Parameters<NonNullable<ApiOptions['extend']>>[2]

function addPages(app: FastifyInstance, { parts, config }: Made, more: Partial<PageNeeds>) {
  return registerPages(app, {
    ...parts,
    ...emptyPages,
    admit: makeAdmit(parts),
    addressOf: makeAddressOf(parts.gate),
    checkouts: noCheckouts,
    themes: { find: async () => plainTheme },
    images: { findStored: async () => undefined, store: { find: async () => unreachable, close: () => {} } },
    site: { baseUrl: config.baseUrl, isProduction: false, localRpcUrl: undefined },
    ...more,
  })
}

export type PageReply = {
  readonly status: number
  readonly location: string | undefined
  readonly setCookie: string | undefined
  readonly text: string
}

/** A visitor without scripts, who keeps cookies and submits forms as a browser does. */
export class StoreVisitor {
  readonly #url: string
  cookie: string | undefined

  constructor(url: string) {
    this.#url = url
  }

  get(path = '', headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#ask('GET', path, headers)
  }

  /** Submits a form as one of the shop's pages does. A header that is `undefined` is not sent. */
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

  add(product: string, fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/cart', { add: product, ...fields })
  }

  /** Checks out with the cart's current fields, overridden by `fields`. */
  async checkOut(fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/checkout', { ...hiddenFields((await this.get('/cart')).text), ...fields })
  }

  async #ask(method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<PageReply> {
    const { port, pathname, search } = new URL(this.#url + path)
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie }
    const reply = await ask(port, {
      method,
      target: pathname + search,
      headers: { ...cookie, ...headers },
      body,
    })
    const [setCookie] = reply.headers['set-cookie'] ?? []
    if (setCookie !== undefined) this.cookie = setCookie.split(';')[0]
    return { status: reply.status, location: reply.headers.location, setCookie, text: reply.text }
  }
}

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

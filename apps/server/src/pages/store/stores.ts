import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Arrangement, IndustryPack } from '@sluice/protocol/api/shop.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

export type StoreShop = {
  readonly merchant: Wallet
  readonly slug: string
  /** Name of the shop, or of its brand. */
  readonly name: string
  readonly description: string
  readonly bio: string
  readonly arrangement: Arrangement
  readonly pack: IndustryPack | 'none'
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** Loyalty points per dollar for the paying wallet; 0 if none. */
  readonly pointsPerDollar: number
  /**
   * True if the shop has a split and the platform has an account for its fee. If false, orders are rejected.
   */
  readonly canSell: boolean
  /** Base URL of the shop's public pages. */
  readonly baseUrl: string
}

export type StoreList = {
  readonly products: readonly ProductView[]
  readonly total: number
  readonly nextCursor: string | null
}

export type StoreFilter = {
  readonly q?: string | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** Products of a category; `undefined` groups those without one. */
export type StoreSection = {
  readonly category: string | undefined
  readonly total: number
  readonly products: readonly ProductView[]
}

/** Item of an order. `note` is appended to the product's name. */
export type StoreItem = { readonly id: string; readonly qty: number; readonly note?: string | undefined }

/** Total of a cart in USD, computed as for an order. */
export type StoreQuote = {
  /** In item order; `undefined` for a product that is not for sale here. */
  readonly products: readonly (ProductView | undefined)[]
  readonly subtotalUsd: number
  readonly taxUsd: number
  readonly feeUsd: number
  readonly totalUsd: number
  /** True if an item is taxed, so that the buyer must choose a tax place. */
  readonly isTaxable: boolean
  /** Limit that the amount violates. */
  readonly outside: { readonly limit: 'min' | 'max'; readonly usd: number } | undefined
}

export type StoreOrder = 'open' | 'paid' | 'over'

export type StoreOrderRequest = {
  /** Idempotency token: the same token with the same content is the same order. */
  readonly token: string
  readonly items: readonly StoreItem[]
  readonly jurisdictionCode: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/**
 * Storefront access to shops, products and orders. Exposes public data only. Every read names the merchant.
 */
export type Stores = {
  /** Returns `undefined` if there is no such shop, or if its brand is not served at this host. */
  findShop(slug: string, host: string | undefined): Promise<StoreShop | undefined>
  /** @throws {ApiError} `invalid_input` for a cursor from a different list. */
  listProducts(merchant: Wallet, filter: StoreFilter): Promise<StoreList>
  listSections(
    merchant: Wallet,
    room: { readonly sections: number; readonly products: number },
  ): Promise<readonly StoreSection[]>
  listCategories(merchant: Wallet): Promise<readonly { readonly name: string; readonly count: number }[]>
  /** Looks up a product by id, then by sku. Returns only products that are for sale. */
  findProduct(merchant: Wallet, idOrSku: string): Promise<ProductView | undefined>
  /** The merchant's own tax jurisdictions; the first is the default. */
  listTaxPlaces(merchant: Wallet): Promise<readonly string[]>
  /**
   * @param jurisdictionCode - A jurisdiction in the catalog, or one of the merchant's own. Other codes are
   * rejected if an item is taxed.
   */
  quote(
    merchant: Wallet,
    items: readonly StoreItem[],
    jurisdictionCode: string | undefined,
  ): Promise<StoreQuote>
  /** @throws {ApiError} the same codes as `POST /api/orders`, checked in the same order. */
  placeOrder(shop: StoreShop, request: StoreOrderRequest): Promise<ReceiptId>
  findOrder(merchant: Wallet, id: ReceiptId): Promise<StoreOrder | undefined>
  /** Cancels an unpaid order of this storefront. Leaves other orders unchanged. */
  cancelOrder(shop: StoreShop, id: ReceiptId): Promise<void>
}

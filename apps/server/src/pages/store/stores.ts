import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Arrangement, IndustryPack } from '@sluice/protocol/api/shop.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** A shop as its storefront shows it. */
export type StoreShop = {
  readonly merchant: Wallet
  readonly slug: string
  /** Its own, else that of its brand. */
  readonly name: string
  readonly description: string
  readonly bio: string
  readonly arrangement: Arrangement
  readonly pack: IndustryPack | 'none'
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** What a dollar earns the wallet that pays; 0 where nothing. */
  readonly pointsPerDollar: number
  /** It has a split, and the platform an account for its fee: else no order is taken. */
  readonly canSell: boolean
  /** What its public addresses begin with. */
  readonly baseUrl: string
}

/** Some products, and how the list goes on. */
export type StoreList = {
  readonly products: readonly ProductView[]
  readonly total: number
  readonly nextCursor: string | null
}

/** What a list is to hold. */
export type StoreFilter = {
  readonly q?: string | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** The products of a category; of those without one, `category` is `undefined`. */
export type StoreSection = {
  readonly category: string | undefined
  readonly total: number
  readonly products: readonly ProductView[]
}

/** A line of what is ordered: products have ids, and what is said of one line stands behind its name. */
export type StoreItem = { readonly id: string; readonly qty: number; readonly note?: string | undefined }

/** What a cart comes to, in dollars, as an order would. */
export type StoreQuote = {
  /** For each item; `undefined` where it is not for sale here. */
  readonly products: readonly (ProductView | undefined)[]
  readonly subtotalUsd: number
  readonly taxUsd: number
  readonly feeUsd: number
  readonly totalUsd: number
  /** Something is taxed: the buyer says where. */
  readonly isTaxable: boolean
  /** Why this amount cannot be paid here. */
  readonly outside: { readonly limit: 'min' | 'max'; readonly usd: number } | undefined
}

/** What became of an order that a cart was made into. */
export type StoreOrder = 'open' | 'paid' | 'over'

/** An order to be made from a cart. */
export type StoreOrderRequest = {
  /** The same token with the same content is the same order. */
  readonly token: string
  readonly items: readonly StoreItem[]
  readonly jurisdictionCode: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** What storefronts are made of: only what a shop shows to everybody. Every read names the merchant. */
export type Stores = {
  /** `undefined` where there is none, or where its brand is not shown at this host. */
  findShop(slug: string, host: string | undefined): Promise<StoreShop | undefined>
  /** @throws {Refusal} `invalid_input` for a cursor of another list. */
  listProducts(merchant: Wallet, filter: StoreFilter): Promise<StoreList>
  listSections(
    merchant: Wallet,
    room: { readonly sections: number; readonly products: number },
  ): Promise<readonly StoreSection[]>
  listCategories(merchant: Wallet): Promise<readonly { readonly name: string; readonly count: number }[]>
  /** By id, else by sku; only what is for sale. */
  findProduct(merchant: Wallet, idOrSku: string): Promise<ProductView | undefined>
  /** The merchant's own tax jurisdictions, the first of which is the usual one. */
  listTaxPlaces(merchant: Wallet): Promise<readonly string[]>
  /** @param jurisdictionCode - One of ours or of the merchant's: another is refused where something is taxed. */
  quote(
    merchant: Wallet,
    items: readonly StoreItem[],
    jurisdictionCode: string | undefined,
  ): Promise<StoreQuote>
  /** @throws {Refusal} those of `POST /api/orders`, in its order. */
  placeOrder(shop: StoreShop, request: StoreOrderRequest): Promise<ReceiptId>
  findOrder(merchant: Wallet, id: ReceiptId): Promise<StoreOrder | undefined>
  /** Takes an order of this storefront back that nobody has paid anything for; nothing else is touched. */
  cancelOrder(shop: StoreShop, id: ReceiptId): Promise<void>
}

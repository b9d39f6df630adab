import { type Bps, type Cents, formatUnits, writeCents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findOwnTaxRate, findSettings } from '../access/settings/find-settings.ts'
import { listProducts } from '../inventory/list-products.ts'
import { listCategories, listSections } from '../inventory/list-sections.ts'
import { viewPublicProduct } from '../inventory/product.ts'
import { findProduct, findProducts } from '../inventory/store.ts'
import { createOrderOnce } from '../orders/create-order-once.ts'
import { quoteOrder } from '../orders/quote-order.ts'
import { settleStock } from '../orders/settle-stock.ts'
import { findOrder } from '../orders/store.ts'
import type { StoreItem, StoreOrderRequest, StoreShop, Stores } from '../pages/store/stores.ts'
import { closeOffers } from '../payments/attempts/store.ts'
import { cancelReceipt } from '../receipts/managing/edit-receipt.ts'
import { type Receipt, standingOf } from '../receipts/receipt.ts'
import type { CloseOffers } from '../receipts/refunds/withdraw-request.ts'
import { findReceipt } from '../receipts/store.ts'
import { findMerchantBySlug, findShop } from '../shop/store.ts'
import { type Brand, brandBaseUrl, brandName } from '../site/brand.ts'
import { findBrandOfMerchant, isShownAt } from '../site/find-brand.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import type { RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

const payableForMs = 3_600_000
const maxCategories = 40
/** Unknown region in Unicode CLDR, used if the order is not taxed. */
const nowhere = 'ZZ-ZZ'

export function makeStores(parts: RouteParts, config: CompleteConfig): Stores {
  const { db, publicReads } = parts
  return {
    findShop: (slug, host) => findStoreShop(parts, config, slug, host),
    async listProducts(merchant, { q, category, tag, cursor, limit }) {
      const asked = { q, category, tags: tag, cursor, limit: String(limit) }
      const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
      const read = () => listProducts(parts, merchant, given, 'public')
      const { products, ...list } = await publicReads.run(merchant, read)
      return { ...list, products: products.map(viewPublicProduct) }
    },
    async listSections(merchant, room) {
      const sections = await publicReads.run(merchant, () => listSections(db, merchant, room))
      return sections.map(({ products, ...section }) => ({
        ...section,
        products: products.map(viewPublicProduct),
      }))
    },
    listCategories: (merchant) =>
      publicReads.run(merchant, () => listCategories(db, merchant, maxCategories)),
    async findProduct(merchant, idOrSku) {
      const byId = await findProduct(db, merchant, idOrSku)
      const found = byId ?? (await findProducts(db, merchant, { ids: [], skus: [idOrSku] }))[0]
      return found?.status === 'active' ? viewPublicProduct(found) : undefined
    },
    listTaxPlaces: async (merchant) =>
      (await findSettings(db, merchant)).taxRates.map(({ jurisdictionCode }) => jurisdictionCode),
    quote: (merchant, items, jurisdictionCode) => quote(parts, config, merchant, { items, jurisdictionCode }),
    placeOrder: (shop, request) => placeOrder(parts, config, shop, request),
    async findOrder(merchant, id) {
      const receipt = await findReceipt(db, merchant, id)
      if (!receipt) return undefined
      const standing = standingOf(receipt, parts.chain.time.now())
      if (standing === 'paid' || standing === 'settling') return 'paid'
      // A buyer who has sent money can always continue, however late.
      if (hasMoney(receipt)) return 'open'
      return standing === 'open' && receipt.status !== 'failed' ? 'open' : 'over'
    },
    cancelOrder: (shop, id) => cancelOrder(parts, shop, id),
  }
}

async function findStoreShop(
  { db }: RouteParts,
  config: CompleteConfig,
  slug: string,
  host: string | undefined,
): Promise<StoreShop | undefined> {
  const merchant = await findMerchantBySlug(db, slug)
  if (!merchant) return undefined
  const [shop, brand, split] = await Promise.all([
    findShop(db, merchant),
    findBrandOfMerchant(db, merchant),
    findCurrentSplit(db, merchant),
  ])
  if (!shop || !(await isShownAt(db, brand.key, host))) return undefined
  return {
    merchant,
    slug,
    name: shop.name.trim() || brandName(brand),
    description: shop.description,
    bio: shop.bio,
    arrangement: shop.arrangement,
    pack: shop.industryPack ?? 'none',
    links: shop.links,
    pointsPerDollar: Number(formatUnits(shop.xpPerDollarHundredths, 2)),
    canSell: split !== undefined && (config.platformFeeBps === 0 || config.platformRecipient !== undefined),
    baseUrl: brandBaseUrl(brand, config.baseUrl),
  }
}

type Asked = { readonly items: readonly StoreItem[]; readonly jurisdictionCode: string | undefined }

async function quote(parts: RouteParts, config: CompleteConfig, merchant: Wallet, asked: Asked) {
  const brand = await findBrandOfMerchant(parts.db, merchant)
  const { products, ...sums } = await quoteOrder(orderNeeds(parts, config, brand), merchant, {
    items: asked.items.map(wantedOf),
    jurisdictionCode: asked.jurisdictionCode,
  })
  const total = sums.customerTotalCents
  return {
    products: products.map((product) => product && viewPublicProduct(product)),
    subtotalUsd: writeCents(sums.subtotalCents),
    taxUsd: writeCents(sums.taxCents),
    feeUsd: writeCents(sums.feeCents),
    totalUsd: writeCents(total),
    isTaxable: products.some((product) => product?.taxable),
    outside: outsideLimits(config, total),
  }
}

async function placeOrder(
  parts: RouteParts,
  config: CompleteConfig,
  shop: StoreShop,
  { token, items, jurisdictionCode, metadata }: StoreOrderRequest,
) {
  const { merchant, slug, baseUrl } = shop
  const brand = await findBrandOfMerchant(parts.db, merchant)
  const back = `${baseUrl}/shop/${slug}`
  return createOrderOnce(orderNeeds(parts, config, brand), merchant, token, {
    items: items.map(wantedOf),
    jurisdictionCode: jurisdictionCode ?? nowhere,
    taxRate: undefined,
    taxComponents: undefined,
    isReservedLater: true,
    options: {
      redirectUrl: undefined,
      returnUrl: back.startsWith('https:') || !config.isProduction ? back : undefined,
      webhookUrl: undefined,
      onSuccess: undefined,
      providerEmail: undefined,
      billing: undefined,
      metadata,
      transactionId: undefined,
      expiresAt: addMs(parts.chain.time.now(), payableForMs),
    },
  })
}

/** Cancels an order and releases its stock before returning. */
async function cancelOrder(parts: RouteParts, { merchant, slug }: StoreShop, id: ReceiptId): Promise<void> {
  const receipt = await findReceipt(parts.db, merchant, id)
  if (receipt?.metadata?.storefront !== slug || hasMoney(receipt) || isSettled(receipt.status)) return
  const closing: CloseOffers = (tx, ...which) => closeOffers({ ...parts, tx }, ...which)
  await cancelReceipt({ ...parts, closeOffers: closing }, merchant, { by: 'the buyer' }, id)
  const order = await findOrder(parts.db, merchant, id)
  if (order?.stock === 'reserved') await settleStock(parts, { merchant, receiptId: id })
}

function hasMoney({ payment }: Receipt): boolean {
  return (payment?.received ?? 0n) > 0n
}

function orderNeeds(parts: RouteParts, config: CompleteConfig, brand: Brand) {
  const platform = { feeBps: config.platformFeeBps as Bps, recipient: config.platformRecipient }
  const ownTaxRate = (merchant: Wallet, code: string) => findOwnTaxRate(parts, merchant, code)
  return { ...parts, deadlines: parts.chain.time, platform, brand, findOwnTaxRate: ownTaxRate }
}

function wantedOf({ id, qty, note }: StoreItem) {
  return { id, sku: undefined, qty: BigInt(qty), note }
}

function outsideLimits({ orderMinCents, orderMaxCents }: CompleteConfig, total: Cents) {
  if (total < orderMinCents) return { limit: 'min' as const, usd: writeCents(orderMinCents as Cents) }
  if (total > orderMaxCents) return { limit: 'max' as const, usd: writeCents(orderMaxCents as Cents) }
  return undefined
}

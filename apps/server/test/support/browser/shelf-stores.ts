import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Arrangement, IndustryPack } from '@sluice/protocol/api/shop.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { StoreFilter, StoreOrder, StoreShop, Stores } from '../../../src/pages/store/stores.ts'
import { addresses } from './checkout-views.ts'
import { stocked } from './store-shelves.ts'

/** A shop with what it sells, held in memory. */
export type ShelfShop = StoreShop & { readonly products: readonly ProductView[] }

/** A shop of a kind as a test wants to see it. */
export function shelfShop(
  slug: string,
  pack: IndustryPack | 'none',
  arrangement: Arrangement,
  changes: Partial<ShelfShop> = {},
): ShelfShop {
  const { name = '', description = '', bio = '', links = [], products = [] } = stocked(pack)
  return {
    merchant: addresses.merchant as Wallet,
    slug,
    name,
    description,
    bio,
    arrangement,
    pack,
    links,
    pointsPerDollar: 5,
    canSell: true,
    baseUrl: 'https://pay.example.com',
    products: products.map((product) => ({ ...plainProduct, ...(product as Partial<ProductView>) })),
    ...changes,
  }
}

const plainProduct: ProductView = {
  id: '',
  sku: '',
  name: '',
  description: '',
  priceUsd: 1,
  stockQty: -1,
  taxable: false,
  category: null,
  tags: [],
  images: [],
  attributes: {},
  status: 'active',
  createdAt: 0,
  updatedAt: 0,
}

/**
 * Storefronts over shops that a test writes by hand, for pictures and for what is looked at often; whatever counts
 * stock or takes orders is tested over the real ones. All shops have one merchant, so that the last one opened is meant.
 */
export function shelfStores(
  shops: ReadonlyMap<string, ShelfShop>,
  orders: ReadonlyMap<ReceiptId, StoreOrder>,
): Stores {
  let open: ShelfShop | undefined
  const all = () => open?.products ?? []
  const categoriesOf = (products: readonly ProductView[]) => [
    ...new Set(products.map(({ category }) => category ?? undefined)),
  ]
  const listed = ({ q, category, tag, limit }: StoreFilter) => {
    const found = all().filter(
      (product) =>
        (!q || `${product.name} ${product.description}`.toLowerCase().includes(q.toLowerCase())) &&
        (!category || product.category === category) &&
        (!tag || product.tags.includes(tag)),
    )
    return { products: found.slice(0, limit), total: found.length, nextCursor: null }
  }
  return {
    async findShop(slug) {
      open = shops.get(slug)
      return open
    },
    listProducts: async (_merchant, filter) => listed(filter),
    async listSections(_merchant, room) {
      return categoriesOf(all())
        .slice(0, room.sections)
        .map((category) => {
          const products = all().filter((product) => (product.category ?? undefined) === category)
          return { category, total: products.length, products: products.slice(0, room.products) }
        })
    },
    listCategories: async () =>
      categoriesOf(all()).flatMap((name) =>
        name === undefined ? [] : [{ name, count: all().filter(({ category }) => category === name).length }],
      ),
    findProduct: async (_merchant, asked) => all().find(({ id, sku }) => id === asked || sku === asked),
    listTaxPlaces: async () => ['US-CA'],
    async quote(_merchant, items, place) {
      const products = items.map((item) => all().find(({ id }) => id === item.id))
      const cents = (isCounted: (product: ProductView) => boolean) =>
        items.reduce((sum, { qty }, i) => {
          const product = products[i]
          return sum + (product && isCounted(product) ? Math.round(product.priceUsd * 100) * qty : 0)
        }, 0)
      const subtotal = cents(() => true)
      const tax = place === undefined ? 0 : Math.round(cents(({ taxable }) => taxable) * 0.0725)
      return {
        products,
        subtotalUsd: subtotal / 100,
        taxUsd: tax / 100,
        feeUsd: 0,
        totalUsd: (subtotal + tax) / 100,
        isTaxable: products.some((product) => product?.taxable),
        outside: undefined,
      }
    },
    async placeOrder() {
      throw new Error('no order is placed here')
    },
    findOrder: async (_merchant, id) => orders.get(id),
    cancelOrder: async () => {},
  }
}

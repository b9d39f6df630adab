import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Arrangement, IndustryPack } from '@sluice/protocol/api/shop.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { StoreOrder, StoreShop, Stores } from '../../../src/pages/store/stores.ts'
import type { StoreOptions } from '../api/pages.ts'
import { addresses } from './checkout-views.ts'

type Row = readonly [name: string, priceUsd: number, category: string, description: string, more?: object]

const featured = { tags: ['featured'] }
const scarce = { stockQty: 3, taxable: true }
const double = { attributes: { Guests: 2, Size: '24 m²' } }
const coffee: readonly Row[] = [
  ['Ethiopia Guji', 18, 'Single origin', 'Jasmine, bergamot and ripe peach.', featured],
  ['Colombia La Palma', 17, 'Single origin', 'Cocoa nib, red apple and panela.', scarce],
  ['Kenya Kirinyaga', 21.5, 'Single origin', 'Blackcurrant and grapefruit.', { stockQty: 0 }],
  ['Night Watch', 14.5, 'Blends', 'The house espresso.', { attributes: { Roast: 'Dark', Weight: '250 g' } }],
  ['First Light', 14, 'Blends', 'Bright and easy.', { stockQty: 40 }],
  ['V60 dripper', 24, 'Brewing gear', 'White ceramic.'],
  ['Hand grinder', 89, 'Brewing gear', 'Steel burrs.'],
  ['Kettle', 72, 'Brewing gear', 'One litre.'],
  ['Scales', 45, 'Brewing gear', 'To a tenth of a gram.'],
  ['Filters', 6.5, 'Brewing gear', 'A hundred of them.'],
  ['Gift card', 25, 'Gifts', ''],
]
const menu: readonly Row[] = [
  ['Burrata', 14, 'Starters', 'Charred peach, basil oil, sourdough', { tags: ['vegetarian'] }],
  ['Beef tartare', 16, 'Starters', 'Capers, egg yolk, rye crisp', { stockQty: 4 }],
  ['Tagliatelle', 22, 'Mains', 'Slow-cooked beef and pork', featured],
  ['Sea bass', 29, 'Mains', 'Fennel, orange, brown butter', { stockQty: 0 }],
  ['Tiramisù', 9, 'Desserts', ''],
]
const rooms: readonly Row[] = [
  ['Garden room', 140, 'Rooms', 'A terrace under the fig tree.', double],
  ['Harbour suite', 245, 'Rooms', 'A balcony over the boats.', { ...featured, stockQty: 4 }],
  ['Breakfast', 16, 'Extras', 'From eight to eleven.', { tags: ['extra'] }],
]
const services: readonly Row[] = [
  ['Landing page', 1_200, 'Design', 'Built in a week.', { attributes: { Delivery: '5 days', Revisions: 2 } }],
  ['Brand identity', 3_400, 'Design', 'Logo, type and colours.', { ...featured, stockQty: 2 }],
  ['Consulting hour', 140, 'Time', 'A call, and notes.'],
]

const shelves: Readonly<Record<IndustryPack | 'none', readonly [name: string, rows: readonly Row[]]>> = {
  none: ['Harbour Coffee Roasters', coffee],
  retail: ['Harbour Coffee Roasters', coffee],
  restaurant: ['Trattoria Levante', menu],
  hotel: ['Casa do Porto', rooms],
  freelancer: ['Ines Vale Studio', services],
}

export function stocked(pack: IndustryPack | 'none'): Omit<StoreOptions, 'slug' | 'arrangement'> {
  const [name, rows] = shelves[pack]
  return {
    name,
    ...(pack !== 'none' && { pack }),
    description: 'Small lots, made by the water and on their way to you the same day.',
    bio: 'We are four people in an old net store.\nCome by.',
    links: [
      { label: 'Instagram', url: 'https://example.com/harbour' },
      { label: 'Write to us', url: 'mailto:hello@example.com' },
    ],
    products: rows.map(([product, priceUsd, category, description, more], i) => {
      return { id: `p${i}`, sku: `sku-${i}`, name: product, priceUsd, category, description, ...more }
    }),
  }
}

export type ShelfShop = StoreShop & { readonly products: readonly ProductView[] }

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

export function shelfShop(
  slug: string,
  pack: IndustryPack | 'none',
  arrangement: Arrangement,
  changes: Partial<ShelfShop> = {},
): ShelfShop {
  const { name = '', description = '', bio = '', links = [], products = [] } = stocked(pack)
  return {
    ...{ slug, name, description, bio, arrangement, pack, links },
    merchant: addresses.merchant as Wallet,
    pointsPerDollar: 5,
    canSell: true,
    baseUrl: 'https://pay.example.com',
    products: products.map((product) => ({ ...plainProduct, ...(product as Partial<ProductView>) })),
    ...changes,
  }
}

/**
 * Storefronts with in-memory shops of one merchant. Tests of stock and orders use the real stores. A request
 * reads the most recently found shop.
 */
export function shelfStores(
  shops: ReadonlyMap<string, ShelfShop>,
  orders: ReadonlyMap<ReceiptId, StoreOrder>,
): Stores {
  let open: ShelfShop | undefined
  const all = () => open?.products ?? []
  const categories = () => [...Map.groupBy(all(), ({ category }) => category ?? undefined)]
  return {
    async findShop(slug) {
      open = shops.get(slug)
      return open
    },
    async listProducts(_merchant, { q = '', category, tag, limit }) {
      const found = all().filter(
        (product) =>
          `${product.name} ${product.description}`.toLowerCase().includes(q.toLowerCase()) &&
          (!category || product.category === category) &&
          (!tag || product.tags.includes(tag)),
      )
      return { products: found.slice(0, limit), total: found.length, nextCursor: null }
    },
    listSections: async (_merchant, room) =>
      categories()
        .slice(0, room.sections)
        .map(([category, found]) => ({
          category,
          total: found.length,
          products: found.slice(0, room.products),
        })),
    listCategories: async () =>
      categories().flatMap(([name, { length: count }]) => (name === undefined ? [] : [{ name, count }])),
    findProduct: async (_merchant, asked) => all().find(({ id, sku }) => id === asked || sku === asked),
    listTaxPlaces: async () => ['US-CA'],
    async quote(_merchant, items, place) {
      const products = items.map((item) => all().find(({ id }) => id === item.id))
      const cents = items.map(({ qty }, i) => Math.round((products[i]?.priceUsd ?? 0) * 100) * qty)
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
      const taxed = place === undefined ? [] : cents.filter((_, i) => products[i]?.taxable)
      const [subtotal, tax] = [sum(cents), Math.round(sum(taxed) * 0.0725)]
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
      throw new Error('in-memory stores take no orders')
    },
    findOrder: async (_merchant, id) => orders.get(id),
    cancelOrder: async () => {},
  }
}

import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import {
  type Arrangement,
  arrangements,
  type IndustryPack,
  industryPacks,
} from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { emptyCart } from '../cart/cart.ts'
import type { PageFrame } from '../html/error-page.ts'
import type { MessageKey, Translator } from '../messages/translator.ts'
import { type Catalogue, readQuery } from '../store/read-catalogue.ts'
import { layoutOf } from '../store/shelves.ts'
import type { StoreContext } from '../store/store-context.ts'
import type { PageTheme } from '../theme/page-theme.ts'

export type ShopForm = { readonly arrangement: Arrangement; readonly pack: IndustryPack | 'none' }

export function readShopForm(query: Readonly<Record<string, unknown>>): ShopForm {
  return {
    arrangement: arrangements.find((it) => it === query.arrangement) ?? 'grid',
    pack: industryPacks.find((it) => it === query.pack) ?? 'none',
  }
}

export function sampleShop(
  frame: PageFrame,
  { theme, now, siteUrl }: { readonly theme: PageTheme; readonly now: number; readonly siteUrl: string },
  form: ShopForm,
): { readonly context: StoreContext; readonly catalogue: Catalogue } {
  const { t } = frame
  const shop = {
    ...form,
    merchant: '0x0000000000000000000000000000000000000000' as Wallet,
    slug: 'preview',
    name: theme.brandName,
    description: t.text('preview.description'),
    bio: '',
    links: [],
    pointsPerDollar: 0,
    canSell: true,
    baseUrl: siteUrl,
  }
  const context: StoreContext = {
    shop,
    frame: { ...frame, theme },
    theme,
    t,
    cart: emptyCart('preview'),
    openOrder: undefined,
    paidOrder: undefined,
    now,
    lang: undefined,
    languageLink: () => '#',
    pathTo: () => '#',
    newToken: () => 'preview',
    keep: () => undefined,
  }
  return { context, catalogue: sampleCatalogue(context, products(t, now)) }
}

function sampleCatalogue(context: StoreContext, all: readonly ProductView[]): Catalogue {
  const layout = layoutOf(context.shop)
  const names = [...new Set(all.map(({ category }) => category ?? ''))]
  const sections = names.map((name) => {
    const own = all.filter(({ category }) => category === name)
    return { category: name, total: own.length, products: own }
  })
  return {
    query: readQuery({}, context.now),
    layout,
    categories: sections.map(({ category, total }) => ({ name: category, count: total })),
    lead: layout.hasLead ? all[0] : undefined,
    list: layout.kind === 'list' ? { products: all, total: all.length, nextCursor: null } : undefined,
    sections: layout.kind === 'list' ? [] : sections,
  }
}

function products(t: Translator, now: number): ProductView[] {
  const sample = (name: MessageKey, category: MessageKey, priceUsd: number, stockQty = -1): ProductView => ({
    id: name,
    sku: name,
    name: t.text(name),
    description: t.text('preview.product'),
    priceUsd,
    stockQty,
    taxable: false,
    category: t.text(category),
    tags: [],
    images: [],
    attributes: {},
    status: 'active',
    createdAt: now,
    updatedAt: now,
  })
  return [
    sample('preview.first', 'preview.category-one', 18),
    sample('preview.second', 'preview.category-one', 10.5, 3),
    sample('preview.third', 'preview.category-two', 64),
    sample('preview.fourth', 'preview.category-two', 25, 0),
  ]
}

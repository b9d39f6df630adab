import { type Cents, readCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { defaultFields, type ProductPut } from '../inventory/product.ts'
import { upsertProducts } from '../inventory/upsert-products.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { demoShopSlug } from '../pages/site/register-site.ts'
import type { Database } from '../platform/database/database.ts'
import { changeShop } from '../shop/change-shop.ts'
import { findShop } from '../shop/store.ts'

export const demoShop = {
  name: 'Tidewater Coffee',
  slug: demoShopSlug,
  description:
    'Small-lot coffee, roasted at the harbour twice a week. This is a demo shop: it accepts test tokens and ships nothing.',
  bio: 'We are four people and a twelve-kilo drum roaster in an old net store on the harbour.\nWe roast on Tuesdays and Thursdays, and what we roast leaves the same day.',
  arrangement: 'groups',
  xpPerDollarHundredths: 500n,
  theme: {
    primaryColor: '#8a3b1c',
    secondaryColor: '#f6ece4',
    textColor: '#2b1a12',
    accentColor: '#8a3b1c',
    fontFamily: 'Lora',
    heroFontSize: 'large',
    logoShape: 'circle',
  },
  links: [{ label: 'hello@tidewater.example', url: 'mailto:hello@tidewater.example' }],
} as const

type Row = readonly [
  sku: string,
  name: string,
  priceUsd: number,
  description: string,
  more?: Partial<Pick<ProductPut, 'stock' | 'tags' | 'attributes' | 'taxable'>>,
]

const shelves: readonly (readonly [category: string, rows: readonly Row[]])[] = [
  [
    'Single origin',
    [
      [
        'guji-250',
        'Ethiopia Guji',
        18,
        'Jasmine, bergamot and ripe peach. A washed lot from the highlands of Hambela, roasted light for filter.',
        {
          tags: ['featured', 'filter'],
          attributes: { Process: 'Washed', Altitude: '2,050 m', Weight: '250 g' },
        },
      ],
      [
        'la-palma-250',
        'Colombia La Palma',
        17,
        'Cocoa nib, red apple and panela, from forty smallholders around Timaná.',
        {
          stock: 5n,
          tags: ['filter', 'espresso'],
          attributes: { Process: 'Washed', Altitude: '1,750 m', Weight: '250 g' },
        },
      ],
      [
        'kirinyaga-250',
        'Kenya Kirinyaga AA',
        21.5,
        'Blackcurrant and grapefruit, as clear as it gets. Back with the next harvest.',
        { stock: 0n, tags: ['filter'], attributes: { Process: 'Washed', Weight: '250 g' } },
      ],
    ],
  ],
  [
    'Blends',
    [
      [
        'night-watch-250',
        'Night Watch',
        14.5,
        'Our espresso: dark chocolate, hazelnut, and enough body to carry milk.',
        { tags: ['espresso'], attributes: { Roast: 'Medium dark', Weight: '250 g' } },
      ],
      [
        'first-light-250',
        'First Light',
        14,
        'Bright and easy. The one we drink while the roaster warms up.',
        { tags: ['filter'], attributes: { Roast: 'Medium', Weight: '250 g' } },
      ],
      [
        'slack-tide-250',
        'Slack Tide Decaf',
        15.5,
        'Decaffeinated with sugar cane, and still tasting of caramel and orange.',
        { stock: 24n, tags: ['espresso', 'decaf'], attributes: { Roast: 'Medium', Weight: '250 g' } },
      ],
    ],
  ],
  [
    'Brewing gear',
    [
      ['dripper', 'Pour-over dripper', 24, 'White ceramic, for one or two cups.', { taxable: true }],
      [
        'grinder',
        'Hand grinder',
        89,
        'Steel burrs, thirty clicks from espresso to French press.',
        { stock: 12n, taxable: true },
      ],
      ['kettle', 'Gooseneck kettle', 72, 'Pours one litre as slowly as you like.', { taxable: true }],
      ['filters', 'Paper filters, 100', 6.5, 'Unbleached, for the dripper.', { taxable: true }],
    ],
  ],
  [
    'Gifts',
    [
      ['gift-card', 'Gift card', 25, 'Two bags of coffee, or a good start on a kettle.'],
      ['subscription', 'Three months of coffee', 48, 'A different bag every month, chosen by us.'],
    ],
  ],
]

/** Creates the demo merchant's shop and products on the first start. Safe to repeat. */
export async function seedShop(
  needs: { readonly db: Database; readonly clock: Clock; readonly random: Random },
  merchant: Wallet,
): Promise<void> {
  if (await findShop(needs.db, merchant)) return
  const start = needs.clock.now()
  // Shops list products in the order of their creation.
  for (const [i, product] of listProducts().entries()) {
    const clock = { ...needs.clock, now: () => (start + i) as UnixMs }
    await upsertProducts({ ...needs, clock }, merchant, [product])
  }
  await changeShop(needs, merchant, demoShop)
}

function listProducts(): ProductPut[] {
  return shelves.flatMap(([category, rows]) =>
    rows.map(([sku, name, priceUsd, description, more]) => {
      const priceCents = readCents(priceUsd)
      assert(typeof priceCents === 'bigint', `the price of ${sku} is one`)
      const said = { sku, name, description, category, priceCents: priceCents as Cents }
      return { ...defaultFields, id: sku, ...said, ...more }
    }),
  )
}

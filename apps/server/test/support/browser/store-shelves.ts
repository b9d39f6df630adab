import type { IndustryPack } from '@sluice/protocol/api/shop.ts'
import type { StoreOptions } from '../api/pages.ts'

type Row = readonly [
  name: string,
  priceUsd: number,
  category: string,
  description: string,
  more?: Record<string, unknown>,
]

const coffee: readonly Row[] = [
  [
    'Ethiopia Guji',
    18,
    'Single origin',
    'Jasmine, bergamot and ripe peach.',
    { tags: ['filter', 'featured'] },
  ],
  [
    'Colombia La Palma',
    17,
    'Single origin',
    'Cocoa nib, red apple and panela.',
    { stockQty: 3, taxable: true },
  ],
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
  ['Tagliatelle', 22, 'Mains', 'Slow-cooked beef and pork', { tags: ['featured'] }],
  ['Sea bass', 29, 'Mains', 'Fennel, orange, brown butter', { stockQty: 0 }],
  ['Tiramisù', 9, 'Desserts', ''],
]
const rooms: readonly Row[] = [
  [
    'Garden room',
    140,
    'Rooms',
    'A terrace under the fig tree.',
    { attributes: { Guests: 2, Size: '24 m²' } },
  ],
  ['Harbour suite', 245, 'Rooms', 'A balcony over the boats.', { tags: ['featured'], stockQty: 4 }],
  ['Breakfast', 16, 'Extras', 'From eight to eleven.', { tags: ['extra'] }],
]
const services: readonly Row[] = [
  ['Landing page', 1_200, 'Design', 'Built in a week.', { attributes: { Delivery: '5 days', Revisions: 2 } }],
  ['Brand identity', 3_400, 'Design', 'Logo, type and colours.', { tags: ['featured'], stockQty: 2 }],
  ['Consulting hour', 140, 'Time', 'A call, and notes.'],
]

const shelves: Readonly<Record<IndustryPack | 'none', readonly [name: string, rows: readonly Row[]]>> = {
  none: ['Harbour Coffee Roasters', coffee],
  retail: ['Harbour Coffee Roasters', coffee],
  restaurant: ['Trattoria Levante', menu],
  hotel: ['Casa do Porto', rooms],
  freelancer: ['Ines Vale Studio', services],
}

/** What a shop of a kind says and sells in tests: products `p0`, `p1`, … */
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

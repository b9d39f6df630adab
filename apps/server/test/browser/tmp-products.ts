const coffee = [
  [
    'Ethiopia Guji',
    18,
    'Single origin',
    'Jasmine, bergamot and ripe peach. A washed lot from the Hambela highlands, roasted light for filter.',
    { Process: 'Washed', Altitude: '2,050 m', Weight: '250 g' },
    -1,
    ['filter', 'featured'],
  ],
  [
    'Colombia La Palma',
    17,
    'Single origin',
    'Cocoa nib, red apple and panela, from forty smallholders around Timaná.',
    { Process: 'Washed', Weight: '250 g' },
    3,
    ['espresso'],
  ],
  ['Kenya Kirinyaga AA', 21.5, 'Single origin', 'Blackcurrant and grapefruit.', {}, 0, []],
  ['Night Watch', 14.5, 'Blends', 'Our house espresso.', {}, -1, []],
  ['Slack Tide Decaf', 15.5, 'Blends', 'Sugar cane decaf.', {}, -1, []],
  ['First Light', 14, 'Blends', 'Bright and easy.', {}, 40, []],
  ['V60 dripper', 24, 'Brewing gear', 'Ceramic, white.', {}, -1, []],
  ['Hand grinder', 89, 'Brewing gear', 'Steel burrs.', {}, 2, []],
  ['Paper filters, 100', 6.5, 'Brewing gear', '', {}, -1, []],
  ['Pouring kettle', 72, 'Brewing gear', 'One litre.', {}, -1, []],
  ['Gift card', 25, 'Gifts', 'Sent by e-mail.', {}, -1, []],
  ['Three-month subscription', 48, 'Gifts', 'A bag a month.', {}, -1, []],
] as const
const menu = [
  ['Burrata, peach and basil', 14, 'Starters', 'Charred peach, basil oil, sourdough', {}, -1, ['vegetarian']],
  ['Beef tartare', 16, 'Starters', 'Capers, egg yolk, rye crisp', {}, 4, []],
  ['Grilled octopus', 19, 'Starters', 'Romesco, potatoes, smoked paprika', {}, -1, []],
  ['Tagliatelle al ragù', 22, 'Mains', 'Slow-cooked beef and pork, parmesan', {}, -1, ['featured']],
  ['Roast cauliflower', 18, 'Mains', 'Tahini, pomegranate, dukkah', {}, -1, ['vegan', 'gluten-free']],
  ['Sea bass', 29, 'Mains', 'Fennel, orange, brown butter', {}, 0, []],
  ['Tiramisù', 9, 'Desserts', 'The one from the first menu', {}, -1, ['vegetarian']],
  ['Lemon sorbet', 7, 'Desserts', '', {}, -1, ['vegan']],
] as const
const rooms = [
  [
    'Garden room',
    140,
    'Rooms',
    'Ground floor, a terrace under the fig tree, bath with a window.',
    { Guests: '2', Size: '24 m²', Bed: 'King' },
    -1,
    [],
  ],
  [
    'Harbour suite',
    245,
    'Rooms',
    'Two rooms with a balcony over the boats.',
    { Guests: 4, Size: '52 m²', Bed: 'King and twin' },
    -1,
    ['featured'],
  ],
  ['Loft', 190, 'Rooms', 'Under the roof.', { Guests: 2, Size: '30 m²' }, 4, []],
  ['Breakfast', 16, 'Extras', 'From eight to eleven.', {}, -1, ['extra']],
] as const
const services = [
  [
    'Landing page',
    1200,
    'Design',
    'One page, designed and built in a week.',
    { Delivery: '5 days', Revisions: 2, Includes: 'Copy, design, code' },
    -1,
    [],
  ],
  [
    'Brand identity',
    3400,
    'Design',
    'Logo, type, colours and the rules for using them.',
    { Delivery: '3 weeks', Revisions: 3, Includes: 'Guidelines as PDF' },
    2,
    ['featured'],
  ],
  ['Consulting hour', 140, 'Time', 'A video call, notes afterwards.', { Length: '60 min' }, -1, []],
] as const
export function demoProducts(pack: string) {
  const rows =
    pack === 'restaurant' ? menu : pack === 'hotel' ? rooms : pack === 'freelancer' ? services : coffee
  const name =
    pack === 'restaurant'
      ? 'Trattoria Levante'
      : pack === 'hotel'
        ? 'Casa do Porto'
        : pack === 'freelancer'
          ? 'Ines Vale Studio'
          : 'Harbour Coffee Roasters'
  return {
    name,
    description:
      'Small lots, roasted on Tuesdays and Thursdays by the water, and on their way to you the same day.',
    bio: 'We are four people and a 12-kilo drum roaster in an old net store on the harbour.\nWe buy from people we know, and say what we paid.',
    links: [
      { label: 'Instagram', url: 'https://example.com/ig' },
      { label: 'Write to us', url: 'mailto:hi@example.com' },
    ],
    products: rows.map(([n, priceUsd, category, description, attributes, stockQty, tags], i) => ({
      id: `p${i}`,
      sku: `sku-${i}`,
      name: n,
      priceUsd,
      category,
      description,
      attributes,
      stockQty,
      tags: [...tags],
      taxable: i % 2 === 0,
      ...(process.env.PICS &&
        i % 3 !== 2 && {
          images: ['https://example.com/' + i + '.jpg', 'https://example.com/' + i + 'b.jpg'],
        }),
    })),
  }
}

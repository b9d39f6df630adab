import type { BadCase, Make } from './bad-case.ts'
import { badColours, badPageUrls } from './hostile-texts.ts'

/** Products that are none. */
export function products(make: Make): BadCase[] {
  const good = { sku: 'bad', name: 'Bad', priceUsd: 1 }
  const changes: Record<string, object> = {
    'a price below zero': { priceUsd: -0.01 },
    'a price too high': { priceUsd: 1_000_000_000.01 },
    'a stock below -1': { stockQty: -2 },
    'a part of a stock': { stockQty: 1.5 },
    'a stock beyond counting': { stockQty: 1e15 },
    'a cost below zero': { costUsd: -1 },
    'a name of spaces': { name: '   ' },
    'a name of two lines': { name: 'a\nb' },
    'a sku of two lines': { sku: 'a\r\nb' },
    'a sku too long': { sku: 'a'.repeat(65) },
    'an id of other signs': { id: 'a b' },
    'a tag with a comma': { tags: ['a,b'] },
    'a tag with a bar': { tags: ['a|b'] },
    '25 tags': { tags: Array.from({ length: 25 }, (_, i) => `t${i}`) },
    '9 images': { images: Array.from({ length: 9 }, (_, i) => `https://example.com/${i}.png`) },
    'attributes too large': { attributes: { a: 'b'.repeat(8_200) } },
    'a status of its own': { status: 'deleted' },
    'a description too long': { description: 'a'.repeat(4_001) },
  }
  return [
    ...Object.entries(changes).map(([what, change]) => make(what, { ...good, ...change })),
    ...badPageUrls.map((url) => make(`the image ${url.slice(0, 60)}`, { ...good, images: [url] })),
  ]
}

/** Changes of a shop that no shop can have. */
export function shops(make: Make): BadCase[] {
  const slugs = ['ab', 'A-B', 'a_b', 'a b', 'ä-ö', 'api', 'admin', '../x', 'a'.repeat(49), 'a\n', '<b>']
  const colours = ['primaryColor', 'secondaryColor', 'textColor', 'accentColor'].flatMap((name) =>
    badColours.map((colour) => make(`the ${name} ${colour}`, { theme: { [name]: colour } })),
  )
  const fonts = ['Arial;color:red', 'url(//x)', '</style>', 'a\\62', 'a'.repeat(201), 'x}body{']
  return [
    ...slugs.map((slug) => make(`the slug ${slug.slice(0, 20)}`, { slug })),
    ...colours,
    ...fonts.map((fontFamily) => make(`the font ${fontFamily.slice(0, 20)}`, { theme: { fontFamily } })),
    ...['brandLogoUrl', 'coverPhotoUrl'].flatMap((name) =>
      badPageUrls.map((url) => make(`the ${name} ${url.slice(0, 40)}`, { theme: { [name]: url } })),
    ),
    // A shop may link to a page without TLS.
    ...badPageUrls
      .filter((url) => url !== 'http://example.com/')
      .map((url) => make(`the link ${url.slice(0, 40)}`, { links: [{ label: 'A', url }] })),
    ...['a\nb', 'a\u0007b', 'a\u2028b', 'a\u202eb'].map((name) =>
      make(`the name ${JSON.stringify(name)}`, { name }),
    ),
    make('points of three decimals', { xpPerDollar: 0.001 }),
    make('points without end', { xpPerDollar: 10_001 }),
    make('51 links', { links: Array(51).fill({ label: 'A', url: 'https://example.com/' }) }),
    make('an arrangement of its own', { arrangement: 'list' }),
    make('a logo of its own shape', { theme: { logoShape: 'star' } }),
  ]
}

/** Changes of a brand that no brand can have. */
export function sites(make: Make): BadCase[] {
  const acme = { brandKey: 'acme' }
  const notOne = ['a b', 'https://a.example', 'a.example:8443', 'a..example', '-a.example', '*.x.example']
  const domains = ['pay.example.com', ...notOne]
  const keys = ['A', 'a b', 'a--b', '-a', 'a'.repeat(33), '__proto__', 'ä']
  const notWhole = [{}, { USDC: 0.5 }, { USDC: 0.6, ETH: 0.6 }, { USDC: -1, ETH: 2 }]
  const ratios = [...notWhole, { DOGE: 1 }, { USDC: 1.0000001 }]
  return [
    ...keys.map((brandKey) => make(`the brand ${brandKey}`, { brandKey })),
    ...domains.map((domain) => make(`the domain ${domain}`, { ...acme, domains: [domain] })),
    ...ratios.map((reserveRatios) => make(`the ratios ${JSON.stringify(reserveRatios)}`, { reserveRatios })),
    ...[-0.01, 20.01, 0.001].map((fee) => make(`the fee ${fee}`, { processingFeePct: fee })),
    ...badColours.map((colour) => make(`the colour ${colour}`, { ...acme, theme: { primaryColor: colour } })),
    ...badPageUrls.map((url) => make(`the icon ${url.slice(0, 40)}`, { theme: { brandFaviconUrl: url } })),
    make('a domain of the service’s own brand', { domains: ['other.example.com'] }),
    make('a token of nowhere', { defaultPaymentToken: 'DOGE' }),
  ]
}

/** Settings that no merchant can have. */
export function settings(make: Make): BadCase[] {
  const notOne = ['a', 'a@', '@b', 'a@b', 'a b@c.de', '<a@b.de>']
  const addresses = [...notOne, 'a@b.de\nBcc: x@y.de', `${'a'.repeat(250)}@b.de`]
  const rate = (jurisdictionCode: string, rate: number) => ({ taxRates: [{ jurisdictionCode, rate }] })
  const origins = [
    '*',
    'https://*.shop.example',
    'https://shop.example/pay',
    'http://shop.example',
    'javascript:1',
  ]
  return [
    ...origins.map((origin) => make(`the origin ${origin}`, { embedOrigins: [origin] })),
    ...addresses.map((notificationAddress) =>
      make(`the address ${JSON.stringify(notificationAddress).slice(0, 40)}`, { notificationAddress }),
    ),
    make('a final limit below the safe one', { finality: { safeFromUsd: 100, finalFromUsd: 10 } }),
    make('a limit below zero', { finality: { safeFromUsd: -1, finalFromUsd: 10 } }),
    make('a rate above one', rate('US-OR', 1.01)),
    make('a rate of seven decimals', rate('US-OR', 0.1234567)),
    make('a jurisdiction of nowhere', rate('USA', 0.1)),
    make('a jurisdiction twice', { taxRates: [1, 2].map(() => ({ jurisdictionCode: 'US-OR', rate: 0.1 })) }),
  ]
}

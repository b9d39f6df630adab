import { type BadCase, type Headers, invalid, type Make } from './bad-case.ts'
import { badColours, badPageUrls } from './hostile-texts.ts'

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
    // A link may use HTTP.
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

export function settings(make: Make): BadCase[] {
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
    make('a final limit below the safe one', { finality: { safeFromUsd: 100, finalFromUsd: 10 } }),
    make('a limit below zero', { finality: { safeFromUsd: -1, finalFromUsd: 10 } }),
    make('a rate above one', rate('US-OR', 1.01)),
    make('a rate of seven decimals', rate('US-OR', 0.1234567)),
    make('a jurisdiction of nowhere', rate('USA', 0.1)),
    make('a jurisdiction twice', { taxRates: [1, 2].map(() => ({ jurisdictionCode: 'US-OR', rate: 0.1 })) }),
  ]
}

const quote = '"'
const head = 'sku,name,priceUsd'

const badFiles: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  'a line break': '\n',
  'a mark of order alone': '\ufeff',
  'no rows': `${head}\n`,
  'no price': 'sku,name\na,b\n',
  'a column twice': 'sku,sku,name,priceUsd\na,a,b,1\n',
  'a column twice in other letters': 'sku,SKU,name,priceUsd\na,a,b,1\n',
  'commas and semicolons': 'sku;name,priceUsd\na;b,1\n',
  'thousands or a fraction, between semicolons': 'sku;name;priceUsd\na;b;1.234\n',
  'semicolons in the head alone': 'sku;name;priceUsd\na,b,1\n',
  'a cell too few': `${head}\na,b\n`,
  'a cell too many': `${head}\na,b,1,2\n`,
  'a quote that is not closed': `${head}\na,${quote}b,1\n`,
  'something after a quote': `${head}\na,${quote}b${quote}c,1\n`,
  'a NUL': `${head}\na,b\u0000,1\n`,
  'Latin-1': Buffer.from(`${head}\na,\xe9,1\n`, 'latin1'),
  'UTF-16': Buffer.from(`${head}\na,b,1\n`, 'utf16le'),
  'a surrogate': Buffer.from(`${head}\na,\xed\xa0\x80,1\n`, 'latin1'),
  'a ZIP': Buffer.from('504b0304140000000800', 'hex'),
  'the same sku twice': `${head}\na,b,1\na,c,2\n`,
  'one bad row among good ones': `${head}\n${Array.from({ length: 50 }, (_, i) => `f${i},b,1`).join('\n')}\nx,y,-1\n`,
  'an empty sku': `${head}\n,b,1\n`,
  'an empty name': `${head}\na,,1\n`,
  'a name of two lines': `${head}\na,${quote}b\nc${quote},1\n`,
  'a price that is a formula': `${head}\na,b,=1+1\n`,
  'a price in hex': `${head}\na,b,0x10\n`,
  'a price with an exponent': `${head}\na,b,1e2\n`,
  'a price with a comma': `${head}\na,b,${quote}1,5${quote}\n`,
  'a price with a sign of money': `${head}\na,b,$1\n`,
  'a price that is NaN': `${head}\na,b,NaN\n`,
  'a price in other digits': `${head}\na,b,\u0663\n`,
  'a price too high': `${head}\na,b,1000000001\n`,
  'a price of many digits': `${head}\na,b,${'9'.repeat(40)}\n`,
  'a line of a megabyte': `${head}\na,${'b'.repeat(900_000)},1\n`,
  'a header of a megabyte': `${head},${'x'.repeat(900_000)}\na,b,1,2\n`,
  '101 columns': `${head},${Array.from({ length: 98 }, (_, i) => `c${i}`).join()}\na,b,1${','.repeat(98)}\n`,
  '25,001 rows': `${head}\n${Array.from({ length: 25_001 }, (_, i) => `r${i},b,1`).join('\n')}\n`,
  'more than is taken': `${head}\n${'a,b,1\n'.repeat(200_000)}`,
  'a stock below -1': `${head},stockQty\na,b,1,-2\n`,
  'a part of a stock': `${head},stockQty\na,b,1,1.5\n`,
  'neither true nor false': `${head},taxable\na,b,1,yes\n`,
  'attributes that are no object': `${head},attributes\na,b,1,[1]\n`,
  'attributes that are no JSON': `${head},attributes\na,b,1,{\n`,
  'attributes named __proto__': `${head},attributes\na,b,1,${quote}{${quote}${quote}__proto__${quote}${quote}:1}${quote}\n`,
  'an image that is a script': `${head},images\na,b,1,javascript:alert(1)\n`,
  'an image without TLS': `${head},images\na,b,1,http://example.com/a.png\n`,
  'a status of its own': `${head},status\na,b,1,deleted\n`,
  'an id of other signs': `${head},id\na,b,1,a b\n`,
}

export function badFileCases(headers: Headers): BadCase[] {
  return Object.entries(badFiles).map(([what, body]) => ({
    what: `a file of products: ${what}`,
    question: {
      method: 'POST',
      target: '/api/inventory/import',
      headers: { ...headers.key, 'content-type': 'text/csv' },
      body,
    },
    expect: invalid,
  }))
}

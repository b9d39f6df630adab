import { type BadCase, type Headers, invalid } from './bad-case.ts'

const quote = '"'
const head = 'sku,name,priceUsd'

/** Files of products of which nothing may be taken. */
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
  '20,001 rows': `${head}\n${Array.from({ length: 20_001 }, (_, i) => `r${i},b,1`).join('\n')}\n`,
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

/** The import of each of them. */
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

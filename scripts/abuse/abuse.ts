/** Name of an attack that once succeeded. */
export type AbuseName =
  | 'long-lists'
  | 'open-pages'
  | 'made-up-receipts'
  | 'guesses'
  | 'bad-keys'
  | 'frozen-database'
  | 'slow-bodies'
  | 'pipelining'
  | 'pdfs'
  | 'searches'
  | 'stock'
  | 'many-keys'

/** Input of the attacker process. */
export type Target = {
  readonly name: AbuseName
  readonly baseUrl: string
  readonly connections: number
  readonly seconds: number
  /** API key of the attacking tenant. */
  readonly key: string
  readonly wallet: string
  /** Existing receipts of the attacking tenant. */
  readonly receiptIds: readonly string[]
  /** All API keys of the attacking tenant. */
  readonly keys: readonly string[]
  /** A paid receipt with 500 lines in many scripts. */
  readonly paidId: string
  /** The slug of a shop with 60,000 products. */
  readonly largeShop: string
  /** An open shop and one of its products. */
  readonly shop: { readonly slug: string; readonly productId: string; readonly priceCents: number }
}

/** Description of each attack, for the output. */
export const abuses: Readonly<Record<AbuseName, string>> = {
  'long-lists': 'a tenant reads long pages of receipts of 500 lines, with a different query each time',
  'open-pages': 'a stranger polls open checkouts with every spelling of their recipient',
  'made-up-receipts': 'a stranger requests payment attempts for made-up receipts',
  guesses: 'a stranger guesses receipts on pages, and asks for /docs, /readyz and /metrics',
  'bad-keys': 'a stranger tries well-formed keys from an address shared with others',
  'frozen-database': 'a tenant reads while PostgreSQL is frozen (SIGSTOP)',
  'slow-bodies': 'strangers of four thousand addresses send bodies a byte at a time',
  pipelining: 'strangers send requests one behind another without waiting for an answer',
  pdfs: 'a stranger requests the PDF of a receipt of 500 lines in many scripts, in every language',
  searches: 'strangers search and list a shop of 60,000 products in every order',
  stock: 'strangers order all stock of a shop and begin to pay, again and again',
  'many-keys': 'a tenant reads long pages with twelve keys, and with made-up session cookies',
}

/** A way to harm the service that was once open, and what is known of it by both sides. */
export type AbuseName =
  | 'long-lists'
  | 'streams'
  | 'made-up-receipts'
  | 'guesses'
  | 'bad-keys'
  | 'frozen-database'
  | 'slow-bodies'
  | 'pipelining'

/** What the attacker is told. */
export type Target = {
  readonly name: AbuseName
  readonly baseUrl: string
  readonly connections: number
  readonly seconds: number
  /** The key of a tenant who attacks. */
  readonly key: string
  readonly wallet: string
  /** Receipts of his that exist. */
  readonly receiptIds: readonly string[]
}

/** What each one does, as it is printed. */
export const abuses: Readonly<Record<AbuseName, string>> = {
  'long-lists': 'a tenant reads long pages of receipts of 500 lines, with a different query each time',
  streams: 'a stranger opens live pages of receipts with every spelling of their recipient',
  'made-up-receipts': 'a stranger requests payment attempts for made-up receipts',
  guesses: 'a stranger guesses receipts on pages, and asks for /docs, /readyz and /metrics',
  'bad-keys': 'a stranger tries well-formed keys from an address shared with others',
  'frozen-database': 'a tenant reads while PostgreSQL is frozen (SIGSTOP)',
  'slow-bodies': 'strangers of four thousand addresses send bodies a byte at a time',
  pipelining: 'strangers send requests one behind another without waiting for an answer',
}

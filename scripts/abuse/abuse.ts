/** A way to harm the service that was once open, and what is known of it by both sides. */
export type AbuseName =
  | 'long-lists'
  | 'streams'
  | 'made-up-receipts'
  | 'guesses'
  | 'bad-keys'
  | 'frozen-database'
  | 'slow-bodies'

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
  'long-lists': 'a tenant reads long pages of receipts of 500 lines, each time by another question',
  streams: 'a stranger opens live pages of receipts under every spelling of their recipient',
  'made-up-receipts': 'a stranger asks for attempts to pay receipts that he makes up',
  guesses: 'a stranger guesses receipts on pages, and asks for /docs, /readyz and /metrics',
  'bad-keys': 'a stranger tries keys of the right form from the address of everybody else',
  'frozen-database': 'a tenant reads while PostgreSQL stands still (SIGSTOP)',
  'slow-bodies': 'strangers of four thousand addresses send bodies a byte at a time',
}

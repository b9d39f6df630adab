import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { Transport } from './transport.ts'
import type {
  ListQuery,
  Split,
  SplitTransaction,
  SplitTransactionsQuery,
  SplitVersion,
  SplitVersionList,
} from './wire.ts'

/** The merchant's split. Scope `split:read`. */
export class Splits {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Retrieves the split's contract and each recipient's share. `address` is null if there is no split. */
  async get(options?: CallOptions): Promise<Split> {
    const call = { method: 'GET', path: '/api/split/deploy' } as const
    return (await this.#transport.call<{ split: Split }>(call, options)).split
  }

  /** Lists the versions of the split, newest first: in force, past, scheduled and cancelled. */
  listVersions(query: ListQuery = {}, options?: CallOptions): List<SplitVersion, SplitVersionList> {
    return this.#transport.list('/api/split/versions', query, ({ versions }) => versions, options)
  }

  /** Lists payments through the split, newest first. */
  listTransactions(
    query: SplitTransactionsQuery = {},
    options?: CallOptions,
  ): List<SplitTransaction, SplitTransaction[]> {
    return this.#transport.list('/api/split/transactions', query, (transactions) => transactions, options)
  }

  /** Streams all payments through the split as a CSV file. */
  exportTransactionsCsv(
    query: Pick<SplitTransactionsQuery, 'address'> = {},
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open({ method: 'GET', path: '/api/split/transactions/export', query }, options)
  }
}

import { eachOf, type ListOptions } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { Split, SplitTransaction } from './wire.ts'

/** A page of payments as they went through the split. */
export type SplitTransactionPage = {
  readonly transactions: SplitTransaction[]
  readonly nextCursor: string | undefined
}

/** The merchant's split: scope `split:read`. */
export class Splits {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The split's contract and who gets which share; `address` is null while there is none. */
  async get(options?: CallOptions): Promise<Split> {
    return (
      await this.#transport.call<{ split: Split }>({ method: 'GET', path: '/api/split/deploy' }, options)
    ).split
  }

  /** A page of payments as they went through the split, newest first. */
  async listTransactions(
    { address, limit, cursor }: ListOptions & { readonly address?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<SplitTransactionPage> {
    const { value, headers } = await this.#transport.send<SplitTransaction[]>(
      { method: 'GET', path: '/api/split/transactions', query: { address, limit, cursor } },
      options,
    )
    return { transactions: value, nextCursor: headers.get('x-next-cursor') ?? undefined }
  }

  /** All of them, page by page as they are needed. */
  eachTransaction(
    filter: { readonly address?: string | undefined } = {},
    options?: CallOptions,
  ): AsyncGenerator<SplitTransaction, void, undefined> {
    return eachOf(async (cursor) => {
      const page = await this.listTransactions({ ...filter, limit: 200, cursor }, options)
      return { entries: page.transactions, nextCursor: page.nextCursor }
    })
  }
}

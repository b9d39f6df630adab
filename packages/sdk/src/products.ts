import { eachOf } from './pages.ts'
import type { CallOptions, Query, Transport } from './transport.ts'
import type {
  ChangeProductRequest,
  ListProductsQuery,
  Product,
  ProductList,
  PutProductRequest,
} from './wire.ts'

/** What an import came to. */
export type ImportResult = {
  readonly ok: true
  readonly created: number
  readonly updated: number
  readonly ignoredColumns: readonly string[]
}

/** Products: scope `inventory:write` to change them, `inventory:read` to read them. */
export class Products {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Makes a product, or changes the one with this sku or id: fields that are not given stay.
   *
   * @throws {ConflictError} `product_conflict` for the sku of one product with the id of another.
   */
  async put(request: PutProductRequest, options?: CallOptions): Promise<Product> {
    const call = { method: 'POST', path: '/api/inventory', body: request } as const
    return (await this.#transport.call<{ item: Product }>(call, options)).item
  }

  /** Changes the fields that are given. */
  async change(id: string, change: ChangeProductRequest, options?: CallOptions): Promise<Product> {
    const call = { method: 'PATCH', path: pathOf(id), body: change } as const
    return (await this.#transport.call<{ item: Product }>(call, options)).item
  }

  /**
   * A product.
   *
   * @throws {NotFoundError}
   */
  async get(id: string, options?: CallOptions): Promise<Product> {
    return (await this.#transport.call<{ item: Product }>({ method: 'GET', path: pathOf(id) }, options)).item
  }

  /** Archives a product; orders keep what they say of it. */
  async archive(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call({ method: 'DELETE', path: pathOf(id) }, options)
  }

  /** A page of products. Without a key: what a shop's visitors may see. */
  list(query: ListProductsQuery = {}, options?: CallOptions): Promise<ProductList> {
    return this.#transport.call(
      { method: 'GET', path: '/api/inventory', query: query satisfies Query },
      options,
    )
  }

  /** All products a query asks for, page by page as they are needed. */
  each(
    query: Omit<ListProductsQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Product, void, undefined> {
    return eachOf(async (cursor) => {
      const { items, nextCursor } = await this.list({ limit: 200, ...query, cursor }, options)
      return { entries: items, nextCursor }
    })
  }

  /**
   * Puts every product of a CSV file, or none.
   *
   * @throws {InvalidRequestError} with the faults by row.
   */
  importCsv(csv: string, options?: CallOptions): Promise<ImportResult> {
    return this.#transport.call({ method: 'POST', path: '/api/inventory/import', body: csv }, options)
  }

  /** All products that are not archived, as one CSV file, however large. */
  async exportCsv(options?: CallOptions): Promise<string> {
    let csv = ''
    for await (const file of this.exportCsvFiles(options))
      csv += csv === '' ? file : file.slice(file.indexOf('\n') + 1)
    return csv
  }

  /** As {@link exportCsv}, in as many files as {@link importCsv} needs: one, unless the catalogue is very large. */
  async *exportCsvFiles(options?: CallOptions): AsyncGenerator<string, void, undefined> {
    const path = '/api/inventory/export'
    for (let cursor: string | undefined, hasMore = true; hasMore; ) {
      const { value, headers } = await this.#transport.send<string>(
        { method: 'GET', path, query: { cursor }, expects: 'text' },
        options,
      )
      yield value
      cursor = headers.get('x-next-cursor') ?? undefined
      hasMore = cursor !== undefined
    }
  }
}

function pathOf(id: string): string {
  return `/api/inventory/${encodeURIComponent(id)}`
}

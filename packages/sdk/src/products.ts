import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { Transport } from './transport.ts'
import type {
  ChangeProductRequest,
  ImportedProducts,
  ListProductsQuery,
  Product,
  ProductList,
  PutProductRequest,
} from './wire.ts'

/** Products. Scope `inventory:write` to change them, `inventory:read` to read them. */
export class Products {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Creates a product, or updates the product with this sku or id. Omitted fields stay unchanged.
   *
   * @throws {ConflictError} `product_conflict` if sku and id belong to different products.
   */
  async put(request: PutProductRequest, options?: CallOptions): Promise<Product> {
    const call = { method: 'POST', path: '/api/inventory', body: request } as const
    return (await this.#transport.call<{ item: Product }>(call, options)).item
  }

  /** Updates a product. Omitted fields stay unchanged. */
  async change(id: string, change: ChangeProductRequest, options?: CallOptions): Promise<Product> {
    const call = { method: 'PATCH', path: pathOf(id), body: change } as const
    return (await this.#transport.call<{ item: Product }>(call, options)).item
  }

  /**
   * Retrieves a product.
   *
   * @throws {NotFoundError}
   */
  async get(id: string, options?: CallOptions): Promise<Product> {
    return (await this.#transport.call<{ item: Product }>({ method: 'GET', path: pathOf(id) }, options)).item
  }

  /** Archives a product. Existing orders keep its data. */
  async archive(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call({ method: 'DELETE', path: pathOf(id) }, options)
  }

  /**
   * Lists products. `body.total` is the number of products on all pages. Without a key, lists what visitors
   * of the shop may see.
   */
  list(query: ListProductsQuery = {}, options?: CallOptions): List<Product, ProductList> {
    return this.#transport.list('/api/inventory', query, ({ items }) => items, options)
  }

  /**
   * Imports all products of a CSV file, or none if one row is invalid.
   *
   * @throws {InvalidRequestError} with the errors of each row in `issues`.
   */
  importCsv(csv: string, options?: CallOptions): Promise<ImportedProducts> {
    return this.#transport.call({ method: 'POST', path: '/api/inventory/import', body: csv }, options)
  }

  /** Returns all products that are not archived as one CSV file. */
  async exportCsv(options?: CallOptions): Promise<string> {
    let csv = ''
    for await (const file of this.exportCsvFiles(options))
      csv += csv === '' ? file : file.slice(file.indexOf('\n') + 1)
    return csv
  }

  /**
   * Same as {@link exportCsv}, in files that {@link importCsv} accepts: one file, unless the catalog is very
   * large.
   */
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

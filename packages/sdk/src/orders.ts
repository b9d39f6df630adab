import { eachOf, type ListOptions } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { CreatedOrder, CreateOrderRequest, Order, OrderDetail, OrderList } from './wire.ts'

/** Orders: scope `orders:create` to make them, `receipts:read` to read them. */
export class Orders {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Orders products: holds their stock and makes the receipt to pay. Under one Idempotency-Key it is done once,
   * however often it is sent; without one of yours each call has its own.
   *
   * @throws {ForbiddenError} `split_required`; {@link InvalidRequestError} `items_required`,
   * `inventory_item_not_found`, `inventory_item_unavailable`.
   */
  create(request: CreateOrderRequest, options?: CallOptions): Promise<CreatedOrder> {
    return this.#transport.call({ method: 'POST', path: '/api/orders', body: request }, options)
  }

  /** A page of orders, newest first. */
  list({ limit, cursor }: ListOptions = {}, options?: CallOptions): Promise<OrderList> {
    return this.#transport.call({ method: 'GET', path: '/api/orders', query: { limit, cursor } }, options)
  }

  /** All orders, newest first, page by page as they are asked for. */
  each(options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    return eachOf(async (cursor) => {
      const { orders, nextCursor } = await this.list({ limit: 200, cursor }, options)
      return { entries: orders, nextCursor }
    })
  }

  /**
   * Retrieves an order with its receipt.
   *
   * @throws {NotFoundError}
   */
  get(id: string, options?: CallOptions): Promise<OrderDetail> {
    return this.#transport.call({ method: 'GET', path: `/api/orders/${encodeURIComponent(id)}` }, options)
  }
}

import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { CreateOrderRequest } from './requests.ts'
import type { Transport } from './transport.ts'
import type { CreatedOrder, ListQuery, Order, OrderDetail, OrderList } from './wire.ts'

/** Orders. Scope `orders:create` to create them, `receipts:read` to read them. */
export class Orders {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Creates an order: reserves the stock and creates the receipt to pay. Pass an `idempotencyKey` to make
   * sure that a repeated call does not create a second order.
   *
   * @throws {ForbiddenError} `split_required`. {@link InvalidRequestError} `items_required`,
   *   `inventory_item_not_found`, `inventory_item_unavailable`.
   */
  create(request: CreateOrderRequest, options?: CallOptions): Promise<CreatedOrder> {
    return this.#transport.call({ method: 'POST', path: '/api/orders', body: request }, options)
  }

  /** Lists orders, newest first. */
  list(query: ListQuery = {}, options?: CallOptions): List<Order, OrderList> {
    return this.#transport.list('/api/orders', query, ({ orders }) => orders, options)
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

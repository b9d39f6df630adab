import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { DeliveriesQuery, Delivery, DeliveryPage, ReceiverReport } from './wire.ts'

/** What became of webhooks, and whether a receiver is right: scope `receipts:read`, `receipts:write` to test. */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A page of deliveries with their attempts, newest first. */
  listDeliveries(query: DeliveriesQuery = {}, options?: CallOptions): Promise<DeliveryPage> {
    return this.#transport.call({ method: 'GET', path: '/api/webhooks/deliveries', query }, options)
  }

  /** All deliveries a query asks for, page by page as they are needed. */
  eachDelivery(
    query: Omit<DeliveriesQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return eachOf(async (cursor) => {
      const { deliveries, nextCursor } = await this.listDeliveries({ limit: 200, ...query, cursor }, options)
      return { entries: deliveries, nextCursor }
    })
  }

  /**
   * Grades a receiver: it is sent what it must take and what it must refuse, signed with this client's key.
   * Takes some seconds; never sent twice by itself.
   */
  test(url: string, options?: CallOptions): Promise<ReceiverReport> {
    const call = { method: 'POST', path: '/api/webhooks/test', body: { url }, repeat: 'once' } as const
    return this.#transport.call(call, { timeoutMs: 90_000, ...options })
  }
}

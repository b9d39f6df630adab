import { Events } from './events.ts'
import { Orders } from './orders.ts'
import { Products } from './products.ts'
import { Receipts } from './receipts.ts'
import { Splits } from './splits.ts'
import { type CallOptions, type SluiceOptions, Transport } from './transport.ts'
import { Webhooks } from './webhooks.ts'
import type { FailureCode, ShopConfig, SiteConfig, TaxJurisdiction, UnmatchedList } from './wire.ts'

export * from './errors.ts'
export {
  type Checkpoint,
  type CheckpointStore,
  EventFeed,
  FeedBrokenError,
  type FeedGap,
  FeedGapError,
  type FollowedEvent,
  type FollowOptions,
} from './event-feed.ts'
export type { StreamOptions } from './event-stream.ts'
export { StatusTimeoutError } from './receipts.ts'
export type { CallOptions, SluiceOptions } from './transport.ts'
export * from './webhook.ts'
export type * from './wire.ts'

/**
 * The service as a subscription key sees it.
 *
 * Requests that are safe to repeat are repeated: after 429 at `resetAt`, after 503 and lost connections with
 * growing waits. Every POST carries an Idempotency-Key that stays the same over its tries, so that what was done
 * is not done again.
 *
 * @example
 * const sluice = new Sluice({ baseUrl: 'https://pay.example.com', key: process.env.SLUICE_KEY })
 * const { paymentUrl } = await sluice.receipts.create({
 *   id: 'order-1001',
 *   lineItems: [{ label: 'Espresso beans', amount: 38 }],
 * })
 */
export class Sluice {
  readonly receipts: Receipts
  readonly orders: Orders
  readonly products: Products
  readonly split: Splits
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #transport: Transport

  /** @throws {TypeError} for an address or a key that can be none. */
  constructor(options: SluiceOptions) {
    const transport = new Transport(options)
    this.#transport = transport
    this.receipts = new Receipts(transport)
    this.orders = new Orders(transport)
    this.products = new Products(transport)
    this.split = new Splits(transport)
    this.events = new Events(transport)
    this.webhooks = new Webhooks(transport)
  }

  /** Checks that the process is running. Does not query its database. */
  async isAlive(options?: CallOptions): Promise<boolean> {
    const { status } = await this.#read<{ status: string }>('/healthz', options)
    return status === 'ok'
  }

  /**
   * The merchant's shop: scope `shop:read`. Without a key, `slug` or the client's `merchantWallet` say whose.
   *
   * @throws {NotFoundError} where there is none.
   */
  async getShop(
    query: { readonly slug?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ShopConfig> {
    const call = { method: 'GET', path: '/api/shop/config', query } as const
    return (await this.#transport.call<{ config: ShopConfig }>(call, options)).config
  }

  /** How the key's brand looks and what it charges; without a key, the brand of this address. */
  getSite(options?: CallOptions): Promise<SiteConfig> {
    return this.#read('/api/site/config', options)
  }

  /** What each failure code means and whether paying again helps. */
  async listFailureCodes(options?: CallOptions): Promise<FailureCode[]> {
    return (await this.#read<{ failureCodes: FailureCode[] }>('/api/failure-codes', options)).failureCodes
  }

  /** The built-in tax rates, each with its source and date. */
  async listTaxRates(options?: CallOptions): Promise<TaxJurisdiction[]> {
    return (await this.#read<{ jurisdictions: TaxJurisdiction[] }>('/api/tax/catalog', options)).jurisdictions
  }

  /** Money that reached the merchant and that no receipt explains, newest first. */
  listUnmatchedPayments(
    query: {
      readonly state?: 'open' | 'applied' | 'refunded' | 'kept' | 'all' | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    } = {},
    options?: CallOptions,
  ): Promise<UnmatchedList> {
    return this.#transport.call({ method: 'GET', path: '/api/payments/unmatched', query }, options)
  }

  #read<T>(path: string, options?: CallOptions): Promise<T> {
    return this.#transport.call({ method: 'GET', path }, options)
  }
}

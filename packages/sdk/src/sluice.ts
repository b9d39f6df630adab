import { Events } from './events.ts'
import type { CallOptions, SluiceOptions } from './options.ts'
import { Orders } from './orders.ts'
import type { List } from './pages.ts'
import { Payments } from './payments.ts'
import { Products } from './products.ts'
import { Receipts } from './receipts.ts'
import { Splits } from './splits.ts'
import { type Query, Transport } from './transport.ts'
import { Webhooks } from './webhooks.ts'
import type { FailureCode, LoyaltyPoints, ShopConfig, SiteConfig, TaxJurisdiction } from './wire.ts'

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
export type { CallOptions, ResponseInfo, SluiceOptions } from './options.ts'
export type { List, Page } from './pages.ts'
export { StatusTimeoutError } from './receipts.ts'
export type { CreateOrderRequest, CreateReceiptRequest } from './requests.ts'
export type { RetryRules } from './retry.ts'
export * from './webhook.ts'
export type * from './wire.ts'

/**
 * Client of the service for one subscription key.
 *
 * Retries a request if its repetition is safe: after a rate limit, an outage or a lost connection. Each POST
 * has an Idempotency-Key that stays the same on retries, so that nothing is done twice.
 *
 * @example
 * const sluice = new Sluice() // reads SLUICE_URL and SLUICE_KEY
 * const { paymentUrl } = await sluice.receipts.create({
 *   id: 'order-1001',
 *   lineItems: [{ label: 'Espresso beans', amount: 38 }],
 * })
 */
export class Sluice {
  readonly receipts: Receipts
  readonly orders: Orders
  readonly products: Products
  readonly payments: Payments
  readonly split: Splits
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #transport: Transport

  /** @throws {TypeError} if the URL or the key is missing or invalid. */
  constructor(options: SluiceOptions = {}) {
    const transport = new Transport(options)
    this.#transport = transport
    this.receipts = new Receipts(transport)
    this.orders = new Orders(transport)
    this.products = new Products(transport)
    this.payments = new Payments(transport)
    this.split = new Splits(transport)
    this.events = new Events(transport)
    this.webhooks = new Webhooks(transport)
  }

  /** Checks that the service is running. Does not check its database. */
  async isAlive(options?: CallOptions): Promise<boolean> {
    const { status } = await this.#get<{ status: string }>('/healthz', {}, options)
    return status === 'ok'
  }

  /**
   * Retrieves the merchant's shop: scope `shop:read`. Without a key, `slug` or the client's `merchantWallet`
   * names the merchant.
   *
   * @throws {NotFoundError}
   */
  async getShop(
    query: { readonly slug?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ShopConfig> {
    return (await this.#get<{ config: ShopConfig }>('/api/shop/config', query, options)).config
  }

  /** Retrieves the merchant's brand and processing fee. Without a key, retrieves this domain's brand. */
  getSite(options?: CallOptions): Promise<SiteConfig> {
    return this.#get('/api/site/config', {}, options)
  }

  /** Retrieves the loyalty points of a buyer's wallet: scope `receipts:read`. */
  getPoints(wallet: string, options?: CallOptions): Promise<LoyaltyPoints> {
    return this.#get('/api/loyalty', { wallet }, options)
  }

  /** Lists the failure codes. Each has its meaning and whether a retry helps. */
  listFailureCodes(options?: CallOptions): List<FailureCode, { failureCodes: FailureCode[] }> {
    return this.#transport.list('/api/failure-codes', {}, ({ failureCodes }) => failureCodes, options)
  }

  /** Lists the built-in tax rates. Each has its source and date. */
  listTaxRates(options?: CallOptions): List<TaxJurisdiction, { jurisdictions: TaxJurisdiction[] }> {
    return this.#transport.list('/api/tax/catalog', {}, ({ jurisdictions }) => jurisdictions, options)
  }

  #get<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#transport.call({ method: 'GET', path, query }, options)
  }
}

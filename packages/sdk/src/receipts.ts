import { SluiceError } from './errors.ts'
import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import { pause } from './pause.ts'
import type { CreateReceiptRequest } from './requests.ts'
import type { Transport } from './transport.ts'
import type {
  CancelledReceipt,
  CreatedReceipt,
  ExportReceiptsQuery,
  ListReceiptsQuery,
  PaymentCheck,
  Receipt,
  ReceiptDetail,
  ReceiptList,
  ReceiptMoney,
  ReceiptStatus,
  ReceiptStatusResponse,
  ReceiptSummary,
  ReceiptSummaryQuery,
  ReceiptTimeline,
} from './wire.ts'

/** The receipt did not reach the status in time. */
export class StatusTimeoutError extends SluiceError {
  /** Last status that the service returned. */
  readonly last: ReceiptStatusResponse

  constructor(last: ReceiptStatusResponse, wanted: readonly ReceiptStatus[]) {
    super(`Receipt ${last.id} is ${last.status} and did not become ${wanted.join(' or ')} in time`)
    this.last = last
  }
}

/** Receipts. Scope `receipts:write` to create and cancel them, `receipts:read` to read them. */
export class Receipts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Creates a receipt and returns the URL where the buyer pays. Safe to repeat: the same content under the
   * same id returns the same receipt.
   *
   * @throws {ConflictError} `receipt_exists` if the id belongs to a receipt with other content.
   * @example
   * const { paymentUrl } = await sluice.receipts.create({
   *   id: 'order-1001',
   *   currency: 'EUR',
   *   lineItems: [{ label: 'Espresso beans', amount: 38, qty: 2 }],
   * })
   */
  create(request: CreateReceiptRequest, options?: CallOptions): Promise<CreatedReceipt> {
    return this.#transport.call({ method: 'POST', path: '/api/receipts', body: request }, options)
  }

  /**
   * Lists receipts, newest first unless `sort` is set. If `body.degraded` is true, the list is the last known
   * state.
   *
   * @example
   * for await (const { receiptId } of sluice.receipts.list({ status: 'paid' })) console.log(receiptId)
   */
  list(query: ListReceiptsQuery = {}, options?: CallOptions): List<Receipt, ReceiptList> {
    return this.#transport.list('/api/receipts', query, ({ receipts }) => receipts, options)
  }

  /** Returns counts and totals of the receipts that match the filters. `interval` adds a time series. */
  summarize(query: ReceiptSummaryQuery = {}, options?: CallOptions): Promise<ReceiptSummary> {
    return this.#transport.call({ method: 'GET', path: '/api/receipts/summary', query }, options)
  }

  /**
   * Streams all receipts that match the filters as a CSV file.
   *
   * @example
   * await writeFile('receipts.csv', await sluice.receipts.exportCsv({ status: 'paid,reconciled' }))
   */
  exportCsv(query: ExportReceiptsQuery = {}, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open({ method: 'GET', path: '/api/receipts/export', query }, options)
  }

  /**
   * Retrieves a receipt.
   *
   * @throws {NotFoundError}
   */
  get(id: string, options?: CallOptions): Promise<ReceiptDetail> {
    return this.#transport.call({ method: 'GET', path: pathOf(id) }, options)
  }

  /**
   * Retrieves the events of a receipt, oldest first, with each webhook delivery attempt.
   *
   * @throws {NotFoundError}
   */
  getTimeline(id: string, options?: CallOptions): Promise<ReceiptTimeline> {
    return this.#transport.call({ method: 'GET', path: `${pathOf(id)}/timeline` }, options)
  }

  /**
   * Retrieves the payments of a receipt and each recipient's part.
   *
   * @throws {NotFoundError}
   */
  getMoney(id: string, options?: CallOptions): Promise<ReceiptMoney> {
    return this.#transport.call({ method: 'GET', path: `${pathOf(id)}/money` }, options)
  }

  /**
   * Retrieves the status of a receipt. Call this after a webhook.
   *
   * @throws {NotFoundError}
   */
  getStatus(receiptId: string, options?: CallOptions): Promise<ReceiptStatusResponse> {
    const path = '/api/receipts/status'
    return this.#transport.call({ method: 'GET', path, query: { receiptId } }, options)
  }

  /**
   * Returns whether a receipt is paid, for polling at the point of sale.
   *
   * @throws {NotFoundError}
   */
  checkPayment(receiptId: string, options?: CallOptions): Promise<PaymentCheck> {
    const path = '/api/terminal/check-payment'
    return this.#transport.call({ method: 'GET', path, query: { receiptId } }, options)
  }

  /**
   * Cancels an unpaid receipt and releases its stock. The service still credits a payment that is already on
   * its way.
   *
   * @throws {NotFoundError}
   */
  cancel(id: string, options?: CallOptions): Promise<CancelledReceipt> {
    return this.#transport.call({ method: 'POST', path: `${pathOf(id)}/cancel` }, options)
  }

  /**
   * Polls until a receipt has one of the statuses. `reconciled` satisfies `paid`. A failed receipt can still
   * be paid, so polling continues unless `failed` is in the list.
   *
   * @throws {StatusTimeoutError} after `waitMs`, 15 minutes by default. {@link NotFoundError}.
   */
  async waitForStatus(
    receiptId: string,
    wanted: readonly ReceiptStatus[] = ['paid', 'reconciled'],
    options: CallOptions & {
      readonly waitMs?: number | undefined
      readonly pollMs?: number | undefined
    } = {},
  ): Promise<ReceiptStatusResponse> {
    const { waitMs = 900_000, pollMs = 2_000, ...call } = options
    const endsAt = performance.now() + waitMs
    for (;;) {
      const last = await this.getStatus(receiptId, call)
      if (wanted.includes(last.status) || (last.status === 'reconciled' && wanted.includes('paid')))
        return last
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) throw new StatusTimeoutError(last, wanted)
      await pause(Math.min(pollMs, leftMs), call.signal)
    }
  }
}

function pathOf(id: string): string {
  return `/api/receipts/${encodeURIComponent(id)}`
}

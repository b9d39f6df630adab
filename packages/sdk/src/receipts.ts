import { SluiceError } from './errors.ts'
import { eachOf } from './pages.ts'
import { pause } from './pause.ts'
import type { CallOptions, Query, Transport } from './transport.ts'
import type {
  CreatedReceipt,
  CreateReceiptRequest,
  ExportReceiptsQuery,
  ListReceiptsQuery,
  Receipt,
  ReceiptDetail,
  ReceiptList,
  ReceiptStatus,
  ReceiptStatusAnswer,
  ReceiptSummary,
  ReceiptSummaryQuery,
  ReceiptTimeline,
} from './wire.ts'

/** The status did not come in time. */
export class StatusTimeoutError extends SluiceError {
  /** What the receipt was when the wait ended. */
  readonly last: ReceiptStatusAnswer

  constructor(last: ReceiptStatusAnswer, wanted: readonly ReceiptStatus[]) {
    super(`Receipt ${last.id} is ${last.status} and did not become ${wanted.join(' or ')} in time`)
    this.last = last
  }
}

/** Receipts: scope `receipts:write` to make them, `receipts:read` for the rest. */
export class Receipts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Makes a receipt and the URL where the buyer pays it. The same content under the same id gives the same
   * receipt, so this is safe to repeat.
   *
   * @throws {ConflictError} `receipt_exists` where the id is taken by other content.
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

  /** A page of receipts, newest first or as `sort` says. With `degraded: true` it is what was last known. */
  list(query: ListReceiptsQuery = {}, options?: CallOptions): Promise<ReceiptList> {
    return this.#transport.call(
      { method: 'GET', path: '/api/receipts', query: query satisfies Query },
      options,
    )
  }

  /** All receipts that a query asks for, page by page as they are needed. */
  each(
    query: Omit<ListReceiptsQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Receipt, void, undefined> {
    return eachOf(async (cursor) => {
      const { receipts, nextCursor } = await this.list({ limit: 200, ...query, cursor }, options)
      return { entries: receipts, nextCursor }
    })
  }

  /** Counts and totals of the receipts that the same filters list, and a series over time with `interval`. */
  summarize(query: ReceiptSummaryQuery = {}, options?: CallOptions): Promise<ReceiptSummary> {
    return this.#transport.call(
      { method: 'GET', path: '/api/receipts/summary', query: query satisfies Query },
      options,
    )
  }

  /**
   * All receipts that a query asks for as a CSV file, read as it comes: for a spreadsheet, or `pipeTo` a file.
   *
   * @example
   * await writeFile('receipts.csv', await sluice.receipts.exportCsv({ status: 'paid,reconciled' }))
   */
  exportCsv(query: ExportReceiptsQuery = {}, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open(
      { method: 'GET', path: '/api/receipts/export', query: query satisfies Query },
      options,
    )
  }

  /**
   * Everything that happened to a receipt, oldest first, with each attempt to deliver its webhooks.
   *
   * @throws {NotFoundError}
   */
  getTimeline(id: string, options?: CallOptions): Promise<ReceiptTimeline> {
    const path = `/api/receipts/${encodeURIComponent(id)}/timeline`
    return this.#transport.call({ method: 'GET', path }, options)
  }

  /**
   * Retrieves a receipt.
   *
   * @throws {NotFoundError}
   */
  get(id: string, options?: CallOptions): Promise<ReceiptDetail> {
    return this.#transport.call({ method: 'GET', path: `/api/receipts/${encodeURIComponent(id)}` }, options)
  }

  /**
   * Retrieves the status of a receipt: what to ask after a webhook.
   *
   * @throws {NotFoundError}
   */
  getStatus(receiptId: string, options?: CallOptions): Promise<ReceiptStatusAnswer> {
    return this.#transport.call(
      { method: 'GET', path: '/api/receipts/status', query: { receiptId } },
      options,
    )
  }

  /**
   * Waits until a receipt has one of the statuses, by asking again and again. A receipt that went past `paid`
   * to `reconciled` meanwhile is paid too. A failed one may still be paid, so waiting goes on unless `failed`
   * is among the wanted.
   *
   * @throws {StatusTimeoutError} after `waitMs` (15 minutes where absent); {@link NotFoundError}.
   */
  async waitForStatus(
    receiptId: string,
    wanted: readonly ReceiptStatus[] = ['paid', 'reconciled'],
    options: CallOptions & {
      readonly waitMs?: number | undefined
      readonly pollMs?: number | undefined
    } = {},
  ): Promise<ReceiptStatusAnswer> {
    const { waitMs = 900_000, pollMs = 2_000, ...call } = options
    const endsAt = performance.now() + waitMs
    for (;;) {
      const answer = await this.getStatus(receiptId, call)
      if (wanted.includes(answer.status) || (answer.status === 'reconciled' && wanted.includes('paid')))
        return answer
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) throw new StatusTimeoutError(answer, wanted)
      await pause(Math.min(pollMs, leftMs), call.signal)
    }
  }
}

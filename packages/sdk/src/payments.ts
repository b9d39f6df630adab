import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { Transport } from './transport.ts'
import type {
  ExportPaymentsQuery,
  ListQuery,
  MoneyQuestion,
  MoneyQuestionList,
  UnmatchedList,
  UnmatchedPayment,
  UnmatchedQuery,
} from './wire.ts'

/** Payments of all receipts, and payments that match no receipt. Scope `receipts:read`. */
export class Payments {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists payments that match no receipt, newest first. Without `state`, lists the open ones. */
  listUnmatched(query: UnmatchedQuery = {}, options?: CallOptions): List<UnmatchedPayment, UnmatchedList> {
    return this.#transport.list('/api/payments/unmatched', query, ({ payments }) => payments, options)
  }

  /** Lists receipts whose payments need a decision, newest first: a reversed payment, for example. */
  listQuestions(query: ListQuery = {}, options?: CallOptions): List<MoneyQuestion, MoneyQuestionList> {
    return this.#transport.list('/api/payments/questions', query, ({ receipts }) => receipts, options)
  }

  /** Streams all payments to receipts as a CSV file, in chain order. */
  exportCsv(query: ExportPaymentsQuery = {}, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.open({ method: 'GET', path: '/api/payments/export', query }, options)
  }
}

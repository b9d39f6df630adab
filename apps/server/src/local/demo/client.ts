import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { CreateReceiptResponse, ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import type { ReceiptStatusResponse } from '@sluice/protocol/api/receipts/status.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { LocalJson } from '../local-settings.ts'

export type SplitTransactionRow = {
  readonly receiptId: string
  readonly status: string
  readonly amountRaw: string
}

export class ApiClient {
  readonly #outbound: Outbound
  readonly #local: LocalJson

  constructor(outbound: Outbound, local: LocalJson) {
    this.#outbound = outbound
    this.#local = local
  }

  createReceipt(body: object): Promise<CreateReceiptResponse> {
    return this.#json('POST', '/api/receipts', 201, body)
  }

  getStatus(receiptId: string): Promise<ReceiptStatusResponse> {
    return this.#json('GET', `/api/receipts/status?receiptId=${receiptId}`, 200)
  }

  getReceipt(receiptId: string): Promise<ReceiptDetail> {
    return this.#json('GET', `/api/receipts/${receiptId}`, 200)
  }

  listSplitTransactions(): Promise<SplitTransactionRow[]> {
    return this.#json('GET', '/api/split/transactions?limit=200', 200)
  }

  openAttempt(receiptId: string, token: string, payer: string): Promise<AttemptView> {
    const recipient = this.#local.merchant.address
    return this.#json('POST', `/api/checkout/${receiptId}/attempts?recipient=${recipient}`, 201, {
      token,
      payer,
    })
  }

  async getPage(url: string): Promise<string> {
    const outcome = await this.#outbound.request({
      method: 'GET',
      url,
      timeoutMs: 10_000,
      maxResponseBytes: 1_000_000,
    })
    if (outcome.kind === 'error') throw new Error(`${url}: ${outcome.error}, ${outcome.detail}`)
    if (outcome.status !== 200) throw new Error(`${url} returned ${outcome.status}`)
    return Buffer.from(outcome.body).toString()
  }

  async #json<T>(method: 'GET' | 'POST', path: string, expected: number, body?: object): Promise<T> {
    const outcome = await this.#outbound.request({
      method,
      url: this.#local.baseUrl + path,
      headers: {
        'ocp-apim-subscription-key': this.#local.subscriptionKey,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs: 10_000,
      maxResponseBytes: 1_000_000,
    })
    if (outcome.kind === 'error') throw new Error(`${method} ${path}: ${outcome.error}, ${outcome.detail}`)
    const text = Buffer.from(outcome.body).toString()
    if (outcome.status !== expected) throw new Error(`${method} ${path} returned ${outcome.status}: ${text}`)
    return JSON.parse(text) as T
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { CreateReceiptAnswer } from '@sluice/protocol/api/receipts/receipts.ts'
import type { ReceiptStatusAnswer } from '@sluice/protocol/api/receipts/status.ts'
import type { LocalJson } from '../../../src/local/write-local-json.ts'

const patienceMs = 120_000

/**
 * An integrator's program that is told nothing of deaths: it sends a request again until it is answered, and
 * goes to the next of several services where one does not answer. A 5xx counts as no answer.
 */
export class PatientClient {
  readonly #baseUrls: readonly string[]
  readonly #local: LocalJson
  #turn = 0

  constructor(baseUrls: readonly string[], local: LocalJson) {
    this.#baseUrls = baseUrls
    this.#local = local
  }

  createReceipt(body: object): Promise<CreateReceiptAnswer> {
    return this.#json('POST', '/api/receipts', 201, body)
  }

  getStatus(receiptId: string): Promise<ReceiptStatusAnswer> {
    return this.#json('GET', `/api/receipts/status?receiptId=${receiptId}`, 200)
  }

  openAttempt(receiptId: string, token: string, payer?: string): Promise<AttemptView> {
    const path = `/api/checkout/${receiptId}/attempts?recipient=${this.#local.merchant.address}`
    return this.#json('POST', path, 201, { token, ...(payer && { payer }) })
  }

  async #json<T>(method: string, path: string, expected: number, body?: object): Promise<T> {
    const giveUpAt = performance.now() + patienceMs
    for (;;) {
      const answer = await this.#once(method, path, body)
      if (answer?.status === expected) return JSON.parse(answer.text) as T
      if (answer && answer.status < 500)
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
      if (performance.now() > giveUpAt) throw new Error(`${method} ${path} was not answered: ${answer?.text}`)
      await pause(100)
    }
  }

  /** `undefined` where no whole answer came. */
  async #once(method: string, path: string, body: object | undefined) {
    const baseUrl = this.#baseUrls[this.#turn++ % this.#baseUrls.length]
    try {
      const answer = await fetch(baseUrl + path, {
        method,
        headers: {
          'ocp-apim-subscription-key': this.#local.subscriptionKey,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      return { status: answer.status, text: await answer.text() }
    } catch {
      return undefined
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { CreateReceiptResponse } from '@sluice/protocol/api/receipts/receipts.ts'
import type { LocalJson } from '../../../src/local/local-settings.ts'

const patienceMs = 600_000
/** Limit in milliseconds: a frozen service does not respond, so the request goes to the next one. */
const responseLimitMs = 10_000

/** Repeats a request until it gets a complete response other than 5xx. */
export async function askUntilAnswered(
  what: string,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<{ status: number; text: string }> {
  let last = 'no answer'
  for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt; await pause(100)) {
    try {
      const response = await send(AbortSignal.timeout(responseLimitMs))
      const reply = { status: response.status, text: await response.text() }
      if (reply.status < 500) return reply
      last = `${reply.status} ${reply.text}`
    } catch (error) {
      last = String(error)
    }
  }
  throw new Error(`${what} was not answered: ${last}`)
}

/** An integrator's program, which repeats each request at the next service until it gets a response. */
export class PatientClient {
  readonly #baseUrls: readonly string[]
  readonly #local: LocalJson
  #turn = 0

  constructor(baseUrls: readonly string[], local: LocalJson) {
    this.#baseUrls = baseUrls
    this.#local = local
  }

  createReceipt(body: object): Promise<CreateReceiptResponse> {
    return this.#json('POST', '/api/receipts', 201, body)
  }

  openAttempt(receiptId: string, token: string, payer?: string): Promise<AttemptView> {
    const path = `/api/checkout/${receiptId}/attempts?recipient=${this.#local.merchant.address}`
    return this.#json('POST', path, 201, { token, ...(payer && { payer }) })
  }

  async #json<T>(method: string, path: string, expected: number, body?: object): Promise<T> {
    const headers = {
      'ocp-apim-subscription-key': this.#local.subscriptionKey,
      ...(body && { 'content-type': 'application/json' }),
    }
    const { status, text } = await askUntilAnswered(`${method} ${path}`, (signal) => {
      const baseUrl = this.#baseUrls[this.#turn++ % this.#baseUrls.length]
      return fetch(baseUrl + path, {
        method,
        headers,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      })
    })
    if (status !== expected) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return JSON.parse(text) as T
  }
}

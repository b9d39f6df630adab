import { appendFileSync, readFileSync } from 'node:fs'
import type { LocalJson } from '../../../src/local/local-settings.ts'
import { callerOf } from '../../support/kill/seeded.ts'

const everyMs = 25
const writesPerSecond = 80
/** On a busy machine, requests beyond this number are left out. A backlog would delay every start. */
const mostUnderWay = 100

/**
 * Writes and reads continuously, and checks each response against the contract. Appends each acknowledged
 * write to a file immediately.
 */
export class DegradedLoad {
  readonly counts = { writes: 0, acknowledged: 0, refused: 0, reads: 0, degraded: 0 }
  readonly faults: string[] = []
  readonly #call: ReturnType<typeof callerOf>
  readonly #local: LocalJson
  readonly #acksFile: string
  readonly #underWay = new Set<Promise<void>>()
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(local: LocalJson, acksFile: string) {
    this.#call = callerOf(local)
    this.#local = local
    this.#acksFile = acksFile
  }

  /**
   * First creates a receipt and reads a list, to which degraded reads can fall back. Then starts the load.
   */
  async start(): Promise<void> {
    await this.makeReceipt('first', 200)
    await this.#call('GET', '/api/receipts?limit=5')
    let written = 0
    let tick = 0
    const startedAt = performance.now()
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * writesPerSecond
      for (; written < due; written++) {
        const n = written
        this.#track(() => this.#write(n))
      }
      if (++tick % 4 === 0) this.#track(() => this.#read())
    }, everyMs)
  }

  async stop(): Promise<number> {
    clearInterval(this.#timer)
    const seconds = (performance.now() - this.#startedAt) / 1000
    await Promise.all(this.#underWay)
    return this.counts.writes / seconds
  }

  async makeReceipt(id: string, cents: number): Promise<number> {
    const usd = cents / 100
    const body = { id, lineItems: [{ label: 'Tea', priceUsd: usd }], totalUsd: usd }
    const { status, headers, text } = await this.#call('POST', '/api/receipts', { body })
    const isRefused = status === 503 && text.includes('"datastore_unavailable"')
    if (status === 201) this.#acknowledge(`receipt ${id} ${usd}`)
    else if (!isRefused || headers.get('retry-after') !== '1') this.#fault(`POST receipt ${id}`, status, text)
    return status
  }

  acknowledgements(): Map<string, number> {
    const lines = readFileSync(this.#acksFile, 'utf8').trim().split('\n')
    const counts = new Map<string, number>()
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
    return counts
  }

  #track(send: () => Promise<void>): void {
    if (this.#underWay.size >= mostUnderWay) return
    const done = send()
      .catch((error: Error) => this.#fault('no answer', 0, `${error.message} ${error.cause ?? ''}`))
      .finally(() => this.#underWay.delete(done))
    this.#underWay.add(done)
  }

  async #write(n: number): Promise<void> {
    this.counts.writes += 1
    const isPromised = n % 2 === 0
    const status = isPromised ? await this.#report(n) : await this.makeReceipt(`r-${n}`, 100 + (n % 900))
    if (status === 503) this.counts.refused += 1
    else this.counts.acknowledged += 1
  }

  async #report(n: number): Promise<number> {
    const value = `onramp_v${n % 30}`
    const body = { receiptId: 'first', wallet: this.#local.merchant.address, status: value }
    const { status, text } = await this.#call('POST', '/api/receipts/status', { key: '', body })
    if (status === 200) this.#acknowledge(`telemetry ${value}`)
    else this.#fault(`POST telemetry ${value}`, status, text)
    return status
  }

  async #read(): Promise<void> {
    this.counts.reads += 1
    const { status, body, text } = await this.#call('GET', '/api/receipts?limit=5')
    if (status !== 200 || body.receipts.length === 0) this.#fault('GET receipts', status, text)
    else if (body.degraded) this.counts.degraded += 1
  }

  #acknowledge(line: string): void {
    appendFileSync(this.#acksFile, `${line}\n`)
  }

  #fault(what: string, status: number, text: string): void {
    const at = new Date().toISOString()
    this.faults.push(`${at} ${what}: ${status} ${text.slice(0, 300)}`)
  }
}

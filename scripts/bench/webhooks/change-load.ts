import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpCaller } from '../http-caller.ts'
import { readInput } from '../read-input.ts'
import { receiptOfReceiver, receiverMerchant } from './receiver-hosts.ts'

/** Status changes: each receipt's status is reported once, at a time of its own. */
export type ChangeInput = {
  readonly url: string
  /** Of the operator's session. */
  readonly headers: Readonly<Record<string, string>>
  readonly receivers: number
  readonly count: number
  /** So many a second. */
  readonly rate: number
  readonly connections: number
}

/** What it came to. */
export type ChangeResult = {
  readonly perSecond: number
  readonly failures: readonly string[]
}

const { url, headers, receivers, count, rate, connections } = readInput<ChangeInput>()
const failures: string[] = []
let next = 0

const callers = await Promise.all(Array.from({ length: connections }, () => HttpCaller.open(url, headers)))
const startedAt = performance.now()
await Promise.all(callers.map(keepReporting))
const elapsedMs = performance.now() - startedAt
const result: ChangeResult = {
  perSecond: ((count - failures.length) / elapsedMs) * 1_000,
  failures: failures.slice(0, 3),
}
console.log(JSON.stringify(result))

async function keepReporting(caller: HttpCaller): Promise<void> {
  for (let n = next++; n < count; n = next++) {
    const waitMs = startedAt + (n * 1_000) / rate - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const [receiptId, wallet] = [receiptOfReceiver(n), receiverMerchant(n % receivers)]
    const body = JSON.stringify({ receiptId, wallet, status: 'checkout_success' })
    const { status, text } = await caller.ask({ method: 'POST', path: '/api/receipts/status', body })
    if (status >= 300) failures.push(`${status} ${text}`)
  }
  caller.close()
}

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'vitest'
import { logIn } from '../support/api/sessions.ts'
import { startWebhookReceiver } from '../support/api/webhooks.ts'
import { callerOf, spawnSeeded } from '../support/kill/seeded.ts'

const minutes = Number(process.env.SOAK_MINUTES ?? '70')
/** The minute with which the last one is compared. Until then, caches fill and V8 compiles. */
const comparedMinute = Math.min(10, Math.ceil(minutes / 2))
/** A sale is two requests and one webhook. */
const salesPerSecond = 20
const readsPerSecond = 60
/** On a busy machine, requests beyond this number are left out, so that no backlog fills the memory. */
const mostUnderWay = 50
const growthMark = 0.1

/** Benchmark that `npm run bench:soak` runs. */
test('memory under steady load is measured', { timeout: minutes * 60_000 + 300_000 }, async () => {
  const limits = '--max-old-space-size=1024 --max-semi-space-size=16'
  const service = await spawnSeeded({ settings: { NODE_OPTIONS: limits } })
  const { local } = service
  const call = callerOf(local)
  const receiver = await startWebhookReceiver()
  const ask = async (status: number, ...request: Parameters<typeof call>) => {
    const response = await call(...request)
    if (response.status !== status) throw new Error(`${request[1]}: ${response.status} ${response.text}`)
    requests += 1
    return response
  }
  const { address, privateKey } = local.merchant
  let session = await logIn({ call }, { wallet: address, privateKey })
  let [requests, webhooks, sales, reads, nextSale, nextRead] = [0, 0, 0, 0, 0, 0]
  receiver.behave = () => {
    webhooks += receiver.received.splice(0).length
    return 200
  }
  const sell = async (id: string) => {
    const lineItems = [{ label: 'Tea', priceUsd: 5 }]
    const body = { id, lineItems, totalUsd: 5, webhook_url: `${receiver.url}/hook` }
    await ask(201, 'POST', '/api/receipts', { body })
    const paid = { receiptId: id, wallet: address, status: 'checkout_success' }
    await ask(200, 'POST', '/api/receipts/status', { session, body: paid })
  }
  const read = (n: number) =>
    ask(200, 'GET', n % 2 === 0 ? '/api/receipts?limit=20' : `/api/receipts/soak-${n % 100}`)
  for (let n = 0; n < 100; n++) await sell(`soak-${n}`)
  requests = 0
  webhooks = 0

  const failures: string[] = []
  const underWay = new Set<Promise<unknown>>()
  const track = (send: () => Promise<unknown>) => {
    if (underWay.size >= mostUnderWay) return
    const done = send()
      .catch((error) => failures.push(String(error)))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }
  const medians: number[] = []
  const startedAt = performance.now()
  const secondsSince = () => (performance.now() - startedAt) / 1_000
  for (let minute = 1; minute <= minutes; minute++) {
    session = await logIn({ call }, { wallet: address, privateKey })
    const sizes: number[] = []
    while (secondsSince() < minute * 60) {
      for (; sales < secondsSince() * salesPerSecond; sales++) track(() => sell(`sale-${nextSale++}`))
      for (; reads < secondsSince() * readsPerSecond; reads++) track(() => read(nextRead++))
      if (sizes.length < secondsSince() - (minute - 1) * 60) sizes.push(residentMb(service.pid))
      await pause(10)
    }
    const median = sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0
    medians.push(median)
    const perSecond = [requests, webhooks].map((count) => (count / secondsSince()).toFixed(1))
    console.log(`minute ${minute}: ${median} MB; ${perSecond.join(' requests/s, ')} webhooks/s`)
  }
  await Promise.all(underWay)
  const [before = 0, after = 0] = [medians[comparedMinute - 1], medians.at(-1)]
  const growth = after / before - 1
  console.log(
    `${growth <= growthMark ? 'kept  ' : 'MISSED'} from minute ${comparedMinute} to ${minutes}: ${before} MB to ${after} MB, ${(growth * 100).toFixed(1)} %; ${failures.length} failures ${failures.slice(0, 3).join('; ')}`,
  )
  await receiver.close()
  await service.stop()
})

function residentMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}

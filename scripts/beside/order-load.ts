import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { readInput } from '../bench/read-input.ts'
import { type Shop, type ShopName, type ShopRequest, shops } from './shops.ts'

/** What the load of a shop is. */
export type OrderLoad = {
  readonly shop: ShopName
  readonly url: string
  readonly keys: readonly string[]
  readonly connections: number
  /** Of placing orders, and of reading them again. */
  readonly seconds: number
}

/** Orders placed and read in a second, and how long one took, in milliseconds. */
export type OrderRates = Readonly<
  Record<'place' | 'read', { readonly perSecond: number; readonly p50: number }>
>

// A program of its own: one request after the other over each of several connections.
const { shop, url, keys, connections, seconds } = readInput<OrderLoad>()
const { place, orderOf, read }: Shop = shops[shop]
const orders: string[] = []
const rates: OrderRates = {
  place: await measure(async (send, key) => {
    const order = orderOf(await send(place(key)))
    if (order === undefined) throw new Error(`${shop} made no order`)
    orders.push(order)
  }),
  read: await measure(async (send, key) => {
    await send(read(orders[Math.floor(Math.random() * orders.length)] ?? '', key))
  }),
}
console.log(JSON.stringify(rates))

type Send = (request: ShopRequest) => Promise<Parameters<Shop['orderOf']>[0]>

/** Does it again and again over every connection until the time is over. */
async function measure(once: (send: Send, key: string) => Promise<void>): Promise<OrderRates['place']> {
  const times: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const keepAsking = async (key: string) => {
    const client = new Client(url, { pipelining: 1 })
    const send: Send = async (request) => {
      const { statusCode, headers, body } = await client.request({ ...request, body: request.body ?? null })
      const text = await body.text()
      if (statusCode >= 300 || text.includes('"errors"')) throw new Error(`${shop}: ${statusCode} ${text}`)
      return { headers, text }
    }
    while (performance.now() < endsAt) {
      const sentAt = performance.now()
      await once(send, key)
      times.push(performance.now() - sentAt)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => keepAsking(keys[i % keys.length] ?? '')))
  const elapsedMs = performance.now() - startedAt
  times.sort((a, b) => a - b)
  return { perSecond: (times.length / elapsedMs) * 1_000, p50: times[Math.floor(times.length / 2)] ?? 0 }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { doesHang, receiverOf } from './receiver-hosts.ts'

/** What is asked of the receiver: to forget what came, to count it, or to say how late each was. */
export type ReceiverOrder = 'forget' | 'count' | 'lateness'

/** What came since the receiver was told to forget. */
export type Arrivals = {
  /** First requests of a webhook, by its `webhook-id`. */
  readonly count: number
  /** Of those, to receivers that answer. */
  readonly answeredCount: number
  /** When the last of those came, in Unix milliseconds. */
  readonly lastAt: number
}

// A program of its own: all receivers. It says its port, and then what came whenever it is asked.
const seen = new Set<string>()
let lateMs: number[] = []
let answeredCount = 0
let lastAt = 0

const server = createServer((request, response) => {
  const at = Date.now()
  const { host = '', 'webhook-id': id } = request.headers
  const isHanging = doesHang(receiverOf(host.split(':', 1)[0] ?? ''))
  let text = ''
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    take(String(id), { at, isHanging, text })
    if (!isHanging) response.writeHead(204).end()
  })
})
// Whoever finds no place in the backlog connects a second later: so many may come at once, however late they are accepted.
server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
)
process.on('message', (order: ReceiverOrder) => {
  const arrivals: Arrivals = { count: lateMs.length, answeredCount, lastAt }
  if (order !== 'forget') {
    process.send?.(order === 'count' ? arrivals : lateMs)
    return
  }
  seen.clear()
  lateMs = []
  answeredCount = 0
  lastAt = 0
  process.send?.('forgotten')
})
process.on('disconnect', () => process.exit())

function take(id: string, { at, isHanging, text }: { at: number; isHanging: boolean; text: string }): void {
  if (seen.has(id)) return
  seen.add(id)
  lateMs.push(at - Number(/"timestamp":(\d+)/.exec(text)?.[1]))
  if (isHanging) return
  answeredCount++
  lastAt = Math.max(lastAt, at)
}

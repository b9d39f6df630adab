import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What each request gets: so many bytes, after so much work. */
export type BareAnswer = { readonly bytes: number; readonly workUs: number }

// A program of its own: an HTTP server that knows its answer and works a little for it. It says its port, and takes
// what it is to answer with from then on.
let body = Buffer.alloc(0)
let workMs = 0

const server = createServer((_, response) => {
  for (const endsAt = performance.now() + workMs; performance.now() < endsAt; );
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', (answer: BareAnswer) => {
  body = Buffer.alloc(answer.bytes, ' ')
  workMs = answer.workUs / 1_000
  process.send?.('taken')
})
process.on('disconnect', () => process.exit())

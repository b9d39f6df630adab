import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import { HttpOutbound, type HttpOutboundOptions } from '../../../src/platform/outbound/http-outbound.ts'
import type { OutboundRequest } from '../../../src/platform/outbound/outbound.ts'

/** Real sockets to anywhere unless told otherwise, closed when the test ends. */
export function openOutbound(
  options: Partial<HttpOutboundOptions> = {},
  clock: Clock = systemClock,
): HttpOutbound {
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true, ...options })
  onTestFinished(() => outbound.close())
  return outbound
}

/** A GET with the limits most tests do not care about. */
export function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxResponseBytes: 1_000, ...more }
}

/** The port of a server that listens until the test ends. */
export async function listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The URL of an HTTP server on this machine. */
export async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

/** The log of everything that reaches this machine's own addresses, by any name, on one port. */
export async function watchLoopback(): Promise<{ port: number; connectionCount: () => number }> {
  let connectionCount = 0
  const server = createTcpServer((socket) => {
    connectionCount += 1
    socket.destroy()
  })
  return { port: await listen(server, '::'), connectionCount: () => connectionCount }
}

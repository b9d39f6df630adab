import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import { HttpOutbound, type HttpOutboundOptions } from '../../../src/platform/outbound/http-outbound.ts'
import type { OutboundRequest } from '../../../src/platform/outbound/outbound.ts'

/** Opens real sockets to any address by default, and closes them when the test ends. */
export function openOutbound(
  options: Partial<HttpOutboundOptions> = {},
  clock: Clock = systemClock,
): HttpOutbound {
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true, ...options })
  onTestFinished(() => outbound.close())
  return outbound
}

export function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxResponseBytes: 1_000, ...more }
}

/** Listens until the test ends. Returns the port. */
export async function listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

/** Counts the connections to any loopback address on one port. */
export async function watchLoopback(): Promise<{ port: number; connectionCount: () => number }> {
  let connectionCount = 0
  const server = createTcpServer((socket) => {
    connectionCount += 1
    socket.destroy()
  })
  return { port: await listen(server, '::'), connectionCount: () => connectionCount }
}

/**
 * Spellings of this machine's addresses: IPv4 shortened, as one number, or in octal, hex or non-ASCII digits;
 * names; IPv6.
 */
const loopbackHosts = `
  127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254
  2130706433 2130706433. 017700000001 0177.0.0.1 0177.0.0.01 0177.0000.0000.0001
  0x7f000001 0x7f.0.0.1 0x7f.0x0.0x0.0x1 0x7F.1 127.0x0.00.1
  %31%32%37.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1 127%E3%80%820%E3%80%820%E3%80%821 １２７.0.0.1 ①②⑦.⓪.⓪.①
  127.0.0.1%2e ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhost。 api。localhost 0x7f。1 ２１３０７０６４３３
  localhost LOCALHOST LocalHost. localhost.. api.localhost a.b.localhost.
  0 0.0.0.0 0.0.0.0. 0x0 00 0000.0000.0000.0000 0.1.2.3
  [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::] [0::0]
  [::ffff:127.0.0.1] [::FFFF:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0.0.0.0]
  [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
  [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1]
  [2002:7f00:1::] [2002:7f00:0001::1] [2002:a00:1::1] [2001:0:7f00:1::] [2001:0:0:0:0:0:80ff:fffe]
  [fe80::1%25lo] [fe80::1%lo]`

/**
 * Private networks, metadata services, special-use addresses, and names that only a local network resolves.
 */
const privateHosts = `
  10.0.0.1 0xa000001 167772161 012.0.0.1 10.1 172.16.0.1 172.31.255.255 192.168.0.1 0xc0a80001 3232235521
  169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376
  [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [fd00:ec2::254] metadata.google.internal
  100.64.0.1 100.100.100.200 192.0.0.192 198.18.0.1
  224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 0xffffffff 4294967295
  [fe80::1] [fec0::1] [fc00::1] [fdff::1] [ff02::1] [100::1] [2001:db8::1] [5f00::1]
  printer.local router.home.arpa intranet`

export const nonPublicHosts: readonly string[] = [
  ...new Set(`${loopbackHosts} ${privateHosts}`.trim().split(/\s+/)),
]

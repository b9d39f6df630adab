import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy that can drop all traffic and keep each connection open, as a broken network does. */
export type SwallowingProxy = {
  readonly url: string
  readonly href: string
  /** Drops all traffic in both directions, on old and new connections. */
  swallow(): void
  /** Lets new connections through. Swallowed connections stay silent. */
  heal(): void
  close(): void
}

export async function openSwallowingProxy(url: string): Promise<SwallowingProxy> {
  const { port, hostname } = new URL(url)
  const open = new Set<Socket>()
  let isSwallowing = false
  const server = createServer((client) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    client.on('error', () => client.destroy())
    if (isSwallowing) {
      client.resume()
      return
    }
    const upstream = connect(Number(port), hostname)
    const pipe = (from: Socket, to: Socket) => {
      let isLost = false
      from.on('data', (bytes) => {
        isLost ||= isSwallowing
        if (!isLost) to.write(bytes)
      })
      from.once('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
    pipe(client, upstream)
    pipe(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.origin,
    href: through.href,
    swallow() {
      isSwallowing = true
    },
    heal() {
      isSwallowing = false
    },
    close() {
      for (const client of open) client.destroy()
      server.close()
    },
  }
}

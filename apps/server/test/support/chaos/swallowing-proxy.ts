import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a service that can swallow everything and still keep each connection, as a broken middle does. */
export type SwallowingProxy = {
  /** The origin of what it leads to, by way of it. */
  readonly url: string
  /** All of the URL that it was opened for, by way of it: with user, password and database. */
  readonly href: string
  /** From now on nothing comes through, in either direction, on old and new connections alike. */
  swallow(): void
  /** New connections work again; those that were swallowed stay silent. */
  heal(): void
  close(): void
}

/** Opens one in front of the service at `url`. */
export async function openSwallowingProxy(url: string): Promise<SwallowingProxy> {
  const { port, hostname } = new URL(url)
  const open = new Set<Socket>()
  let isSwallowing = false
  const server = createServer((client) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    client.on('error', () => client.destroy())
    const begin = () => {
      const upstream = connect(Number(port), hostname)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        let isLost = false
        from.on('data', (bytes) => {
          isLost ||= isSwallowing
          if (!isLost) to.write(bytes)
        })
        from.once('close', () => to.destroy())
        from.on('error', () => to.destroy())
      }
    }
    if (isSwallowing) client.resume()
    else begin()
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

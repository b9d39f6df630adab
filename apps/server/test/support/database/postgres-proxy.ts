import { type AddressInfo, connect, createServer } from 'node:net'

/** A way to a real PostgreSQL on which some of its words are others; each as long as what it stands for. */
export async function openPostgresProxy(url: string, words: Readonly<Record<string, string>>) {
  const { port, hostname } = new URL(url)
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      // One byte a sign, so that nothing else of the protocol changes.
      let text = bytes.toString('latin1')
      for (const [said, other] of Object.entries(words)) text = text.replaceAll(said, other)
      client.write(Buffer.from(text, 'latin1'))
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy())
      one.on('error', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return { url: through.href, close: () => void server.close() }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of a merchant on a server of its own. */
export type MerchantPage = { readonly origin: string; readonly url: string; close(): Promise<void> }

/**
 * Serves one page at an origin that is not ours: `localhost` where ours is `127.0.0.1`.
 *
 * @param body - What it holds, once its own origin is known.
 */
export async function serveMerchantPage(
  body: (origin: string) => string,
  headers: Readonly<Record<string, string>> = {},
): Promise<MerchantPage> {
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end()
    const page = `<!doctype html><html lang="en"><title>Shop</title><body>${body(origin)}</body></html>`
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An endpoint that stands before a real chain: as slow as a provider's, and open to being held up. */
export type RpcProxy = {
  readonly url: string
  /** Names the chain behind it. */
  leadTo(url: string): void
  /** The next answer to a request that `isMeant` waits until `meanwhile` is over, and is given as it was then. */
  holdUp(isMeant: (body: string) => boolean, meanwhile: () => Promise<void>): void
  /** Done before each answer to a request that `isMeant`, until it is set anew. */
  whenever(isMeant: (body: string) => boolean, act: () => Promise<void>): void
  stop(): Promise<void>
}

/** Opens it; every answer takes `latencyMs` longer than the chain needs. */
export async function openRpcProxy(latencyMs: number): Promise<RpcProxy> {
  let target = ''
  let fault: unknown
  let hold: { isMeant(body: string): boolean; meanwhile(): Promise<void> } | undefined
  let habit: { isMeant(body: string): boolean; act(): Promise<void> } | undefined
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const { status, text } = await pass(target, body)
    if (habit?.isMeant(body)) await habit.act()
    if (hold?.isMeant(body)) {
      const { meanwhile } = hold
      hold = undefined
      await meanwhile().catch((error: unknown) => {
        fault = error
      })
    }
    // The way to a provider and back, which no condition of ours can stand for.
    setTimeout(() => response.writeHead(status, { 'content-type': 'application/json' }).end(text), latencyMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      target = url
    },
    holdUp(isMeant, meanwhile) {
      hold = { isMeant, meanwhile }
    },
    whenever(isMeant, act) {
      habit = { isMeant, act }
    },
    async stop() {
      if (fault) throw fault
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the chain says; as a provider's door does, it says so where the chain behind it is away. */
async function pass(target: string, body: string): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 502, text: '' }
  }
}

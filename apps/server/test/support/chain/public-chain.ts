import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestClient, http, publicActions, type Chain as ViemChain, walletActions } from 'viem'
import { base, baseSepolia } from 'viem/chains'
import { findAnvil, rpcUrlOf } from '../../../src/local/anvil.ts'
import { withFreePort } from '../../../src/platform/process/free-port.ts'
import { launchProcess } from '../../../src/platform/process/launch-process.ts'
import { stopProcess } from '../../../src/platform/process/process.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'

const latencyMs = 150
const chains: Readonly<Record<number, ViemChain>> = { 8453: base, 84532: baseSepolia }

/** A chain with the id of a public one and nothing of ours on it. */
export type PublicChain = Awaited<ReturnType<typeof startPublicChain>>

/** Starts it with ten funded accounts; a block a second, each final after two. Its endpoint is 150 ms away. */
export async function startPublicChain(id: 8453 | 84532) {
  const folder = await makeTemporaryFolder('public-chain')
  const clientOf = (url: string) =>
    createTestClient({
      chain: chains[id] as ViemChain,
      mode: 'anvil',
      transport: http(url, { retryCount: 0 }),
      pollingInterval: 50,
    })
      .extend(publicActions)
      .extend(walletActions)
  const { port, identity } = await withFreePort(undefined, async (port) => ({
    port,
    identity: await launchProcess({
      program: await findAnvil(),
      args: [
        ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(id)],
        ...['--slots-in-an-epoch', '1', '--block-time', '1', '--mixed-mining', '--quiet'],
      ],
      logPath: `${folder.path}/anvil.log`,
      isReady: () =>
        clientOf(rpcUrlOf(port))
          .getChainId()
          .then(
            (found) => found === id,
            () => false,
          ),
      timeoutMs: 30_000,
    }),
  }))
  const far = await openFarEndpoint(rpcUrlOf(port))
  return {
    id,
    rpcUrl: far.url,
    client: clientOf(rpcUrlOf(port)),
    async stop() {
      await far.close()
      await stopProcess(identity, [{ signal: 'SIGKILL', waitMs: 5_000 }])
      await folder.remove()
    },
  }
}

/** Hands every question on, later. */
async function openFarEndpoint(rpcUrl: string) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    const headers = { 'content-type': 'application/json' }
    try {
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body: Buffer.concat(chunks) })
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
    } catch {
      response.destroy() // the chain is gone: so is this endpoint
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

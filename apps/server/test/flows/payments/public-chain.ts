import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { createTestClient, http, publicActions, type Chain as ViemChain, walletActions } from 'viem'
import { base, baseSepolia, bsc } from 'viem/chains'
import { findAnvil, rpcUrlOf } from '../../../src/local/anvil.ts'
import { withFreePort } from '../../../src/platform/process/free-port.ts'
import { launchProcess } from '../../../src/platform/process/launch-process.ts'
import { stopProcess } from '../../../src/platform/process/process.ts'
import { farAwayMs, openRpcProxy } from '../../support/chain/endpoints.ts'
import { placeToken } from '../../support/chain/listed-token.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

const chains: Readonly<Record<number, ViemChain>> = {
  8453: base,
  84532: baseSepolia,
  56: bsc,
}

export type PublicChain = Awaited<ReturnType<typeof startPublicChain>>

/**
 * Starts a chain with ten funded accounts, the network's tokens and one block per second. Each block is final two blocks later. The
 * endpoint is slow and closes each connection after its response.
 */
export async function startPublicChain(id: 8453 | 84532 | 56) {
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
        ...['--slots-in-an-epoch', '1', '--block-time', '1', '--quiet'],
      ],
      logPath: `${folder.path}/anvil.log`,
      isReady: async () =>
        (await clientOf(rpcUrlOf(port))
          .getChainId()
          .catch(() => 0)) === id,
      timeoutMs: 30_000,
    }),
  }))
  for (const token of Object.values(findNetwork(id)?.tokens ?? {}))
    await placeToken(clientOf(rpcUrlOf(port)), token)
  const far = await openRpcProxy(farAwayMs, { connection: 'close' })
  far.leadTo(rpcUrlOf(port))
  return {
    id,
    rpcUrl: far.url,
    client: clientOf(rpcUrlOf(port)),
    /** Mines a block only after two requests for a transaction's receipt. */
    async mineWhenAwaited<T>(work: () => Promise<T>): Promise<T> {
      const client = clientOf(rpcUrlOf(port))
      await client.setIntervalMining({ interval: 0 })
      let asked = 0
      const isForReceipt = (body: string) => body.includes('eth_getTransactionReceipt')
      far.whenever(isForReceipt, async () => {
        if (++asked % 2 === 0) await client.mine({ blocks: 1 })
      })
      return work().finally(async () => {
        far.whenever(isForReceipt, async () => {})
        await client.setIntervalMining({ interval: 1 })
      })
    },
    async stop() {
      await far.stop()
      await stopProcess(identity, [{ signal: 'SIGKILL', waitMs: 5_000 }])
      await folder.remove()
    },
  }
}

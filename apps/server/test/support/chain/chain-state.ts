import { writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { hexToBytes } from 'viem'
import { anvilClient, launchAnvil, rpcUrlOf } from '../../../src/local/anvil.ts'
import { deployContracts } from '../../../src/local/deploy-contracts.ts'
import { withFreePort } from '../../../src/platform/process/free-port.ts'
import { stopProcess } from '../../../src/platform/process/process.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'

/**
 * Writes a chain state with the contracts and tokens to `path`, for anvil's `--load-state`. The state
 * includes earlier blocks, so that a loaded chain responds like the original.
 */
export async function writeChainState(path: string): Promise<void> {
  const folder = await makeTemporaryFolder('chain-state')
  const { port, identity } = await withFreePort(undefined, async (port) => ({
    port,
    identity: await launchAnvil({ port, folder: folder.path, slotsInAnEpoch: 1, hasKnownAccounts: true }),
  }))
  try {
    const client = anvilClient(rpcUrlOf(port))
    await deployContracts(client)
    const dump = client.request as (call: { method: string; params: unknown[] }) => Promise<`0x${string}`>
    await writeFile(path, gunzipSync(hexToBytes(await dump({ method: 'anvil_dumpState', params: [true] }))))
  } finally {
    await stopProcess(identity, [{ signal: 'SIGKILL', waitMs: 5_000 }])
    await folder.remove()
  }
}

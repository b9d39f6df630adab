import { chmod, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createTestClient, defineChain, http, publicActions, walletActions } from 'viem'
import { isListening } from '../platform/process/free-port.ts'
import { launchProcess } from '../platform/process/launch-process.ts'
import type { ProcessIdentity } from '../platform/process/process.ts'

/** Defined here, because importing viem's chain list loads 700 modules. */
const foundry = defineChain({
  id: 31_337,
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
})

export type AnvilOptions = {
  readonly port: number
  /** Folder for the log, and for state that does not fit into memory. */
  readonly folder: string
  /**
   * Seconds between blocks. `manual` mines only on request. If absent, each transaction is mined in its own
   * block.
   */
  readonly blockTime?: number | 'manual'
  /** The `safe` block is this many blocks behind the head, the `finalized` block twice as many. */
  readonly slotsInAnEpoch: number
  /** Whether to create anvil's ten well-known funded accounts. */
  readonly hasKnownAccounts?: boolean
}

const startTimeoutMs = 30_000

/** Returns anvil's arguments. Equal arguments mean equal behavior, which a takeover relies on. */
export function anvilArguments(options: AnvilOptions): string[] {
  const { blockTime } = options
  return [
    ...['--host', '127.0.0.1', '--port', String(options.port), '--chain-id', String(foundry.id)],
    ...['--slots-in-an-epoch', String(options.slotsInAnEpoch)],
    ...['--cache-path', join(options.folder, 'anvil-cache')],
    ...(options.hasKnownAccounts ? [] : ['--accounts', '0']),
    ...(blockTime === undefined
      ? []
      : blockTime === 'manual'
        ? ['--no-mining']
        : ['--block-time', String(blockTime), '--mixed-mining']),
    '--no-request-size-limit',
    '--quiet',
  ]
}

/** Starts anvil and waits until it responds. Loads the state in `statePath`, if given. */
export async function launchAnvil(
  options: AnvilOptions,
  more: { statePath?: string | undefined; stop?: AbortSignal | undefined } = {},
): Promise<ProcessIdentity> {
  const { statePath, stop } = more
  const client = anvilClient(rpcUrlOf(options.port))
  return launchProcess({
    program: await findAnvil(),
    args: [...anvilArguments(options), ...(statePath ? ['--load-state', statePath] : [])],
    logPath: join(options.folder, 'anvil.log'),
    // Another chain may be using the port and respond there.
    isReady: async (launched) => (await responds(client)) && isListening(launched, options.port),
    timeoutMs: startTimeoutMs,
    stop,
  })
}

export function anvilClient(rpcUrl: string) {
  // State dumps exceed the default limit of 10 MiB.
  const transport = http(rpcUrl, { retryCount: 0, timeout: 30_000, maxResponseBodySize: false })
  return createTestClient({ chain: foundry, mode: 'anvil', transport, pollingInterval: 50, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

export type AnvilClient = ReturnType<typeof anvilClient>

export async function responds(client: AnvilClient): Promise<boolean> {
  return client.getChainId().then(
    (id) => id === foundry.id,
    () => false,
  )
}

export function rpcUrlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/**
 * Returns the path of the anvil binary in this platform's npm package. The package's wrapper would be an
 * extra process between parent and child.
 */
export async function findAnvil(): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  let folder: string
  try {
    folder = dirname(createRequire(wrapper).resolve(`${name}/package.json`))
  } catch (cause) {
    throw new Error(`anvil is not available for this platform (npm package ${name}); set RPC_URLS instead`, {
      cause,
    })
  }
  const program = join(folder, 'bin', 'anvil')
  const { mode } = await stat(program)
  if ((mode & 0o111) === 0) await chmod(program, mode | 0o555)
  return program
}

import { chmod, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createTestClient, defineChain, http, publicActions, walletActions } from 'viem'
import { isListening } from '../platform/process/free-port.ts'
import { launchProcess } from '../platform/process/launch-process.ts'
import type { ProcessIdentity } from '../platform/process/process.ts'

/** The chain of an anvil. Written here, since a list of chains to take it from is seven hundred modules. */
const foundry = defineChain({
  id: 31_337,
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://127.0.0.1:8545'] } },
})

/** How an anvil is to run. */
export type AnvilOptions = {
  readonly port: number
  /** Where it keeps what does not fit its memory, and its log. */
  readonly folder: string
  /** Seconds between blocks; `manual`: a block only when asked for; absent: a block for each transaction. */
  readonly blockTime?: number | 'manual'
  /** `safe` is this many blocks behind the head, `finalized` twice as many. */
  readonly slotsInAnEpoch: number
  /** Ten known and funded accounts, as tests want them. */
  readonly hasKnownAccounts?: boolean
}

const startTimeoutMs = 30_000

/** The command line of an anvil; two with the same one behave alike. */
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

/** Starts an anvil, on an empty chain or on the one in `statePath`, and waits until it answers. */
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
    // Another chain may have got the port, and answer there.
    isReady: async (launched) => (await answers(client)) && isListening(launched, options.port),
    timeoutMs: startTimeoutMs,
    stop,
  })
}

/** The chain's own methods and those that only a development chain has. */
export function anvilClient(rpcUrl: string) {
  // State dumps are larger than the 10 MiB that an answer may have by default.
  const transport = http(rpcUrl, { retryCount: 0, timeout: 30_000, maxResponseBodySize: false })
  return createTestClient({ chain: foundry, mode: 'anvil', transport, pollingInterval: 50, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

/** A client of a development chain. */
export type AnvilClient = ReturnType<typeof anvilClient>

/** Whether there is a chain of our id at the client's address. */
export async function answers(client: AnvilClient): Promise<boolean> {
  return client.getChainId().then(
    (id) => id === foundry.id,
    () => false,
  )
}

/** Where an anvil of this machine is asked. */
export function rpcUrlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** The program itself, in the npm package for this machine; the wrapper around it would stay between us and it. */
export async function findAnvil(): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  let folder: string
  try {
    folder = dirname(createRequire(wrapper).resolve(`${name}/package.json`))
  } catch (cause) {
    throw new Error(`anvil is not available for this machine (npm package ${name}); set RPC_URLS instead`, {
      cause,
    })
  }
  const program = join(folder, 'bin', 'anvil')
  const { mode } = await stat(program)
  if ((mode & 0o111) === 0) await chmod(program, mode | 0o555)
  return program
}

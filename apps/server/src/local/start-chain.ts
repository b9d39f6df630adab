import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { systemClock, wait } from '../kernel/clock.ts'
import type { Timings } from '../platform/jobs/timings.ts'
import type { Log } from '../platform/log.ts'
import { withFreePort } from '../platform/process/free-port.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'
import {
  describeProcess,
  findProcesses,
  type ProcessIdentity,
  stopProcess,
} from '../platform/process/process.ts'
import { WatchedProcess } from '../platform/process/watch-process.ts'
import {
  type AnvilClient,
  type AnvilOptions,
  anvilArguments,
  anvilClient,
  findAnvil,
  launchAnvil,
  responds,
  rpcUrlOf,
} from './anvil.ts'

const lookEveryMs = 2_000
const saveAtLeastEveryMs = 60_000
const savedName = 'state.json'
const maxTries = 20
const unpack = promisify(gunzip)

const stopSteps = [
  { signal: 'SIGTERM', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const

/**
 * Starts the local chain from the state saved in `folder`, on its previous port if free. Takes over an anvil
 * of a killed service if it responds and has the same arguments. Otherwise ends that anvil, so that a folder
 * never has two.
 *
 * The caller must hold the folder's lock.
 *
 * @param stop - Aborts the start. On rejection, no newly started anvil is running.
 */
export async function startChain(
  needs: { log: Log; timings: Timings },
  folder: string,
  stop?: AbortSignal,
): Promise<LocalChain> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const portFile = join(folder, 'port')
  const lastPort = Number(await readFile(portFile, 'utf8').catch(() => '')) || undefined
  const optionsFor = (port: number): AnvilOptions => ({
    port,
    folder,
    blockTime: needs.timings.localBlockSeconds,
    slotsInAnEpoch: 1,
  })
  const taken = lastPort === undefined ? undefined : await takeOver(optionsFor(lastPort))
  if (taken && lastPort) {
    needs.log.info({ port: lastPort }, 'took over the local chain of a killed service')
    return new LocalChain(needs, optionsFor(lastPort), taken)
  }
  await endLeftovers(folder, { isOurs: lastPort !== undefined })
  return withFreePort(lastPort, async (port) => {
    const options = optionsFor(port)
    if (port !== lastPort) await writePrivateFile(portFile, `${port}\n`)
    return new LocalChain(needs, options, await launch(options, stop))
  })
}

/**
 * Running local chain. If anvil dies, it is restarted from the last save, which has the effect of a deep
 * reorg.
 */
export class LocalChain {
  readonly rpcUrl: string
  readonly client: AnvilClient
  readonly #log: Log
  readonly #folder: string
  readonly #watched: WatchedProcess
  readonly #stopping = new AbortController()
  readonly #saving: Promise<void>
  #lastSave: Promise<unknown> = Promise.resolve()

  constructor(needs: { log: Log }, options: AnvilOptions, identity: ProcessIdentity) {
    this.rpcUrl = rpcUrlOf(options.port)
    this.client = anvilClient(this.rpcUrl)
    this.#log = needs.log
    this.#folder = options.folder
    this.#watched = new WatchedProcess(needs, 'the local chain', identity, async (stop) => {
      await endLeftovers(options.folder, { isOurs: true })
      return launch(options, stop)
    })
    this.#saving = this.#saveOften()
  }

  get pid(): number {
    return this.#watched.identity.pid
  }

  /** Saves the chain now. The periodic save misses changes without a transaction, such as a set balance. */
  save(): Promise<void> {
    // Concurrent writes would remove each other's temporary files.
    const saving = this.#lastSave.then(() => saveChain(this.client, this.#folder))
    this.#lastSave = saving.catch(() => {})
    return saving
  }

  /** Stops mining, saves all blocks and ends anvil. Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    await this.#saving
    const identity = await this.#watched.leave()
    try {
      await this.client.setIntervalMining({ interval: 0 })
      await this.save()
    } catch (error) {
      this.#log.warn({ err: error }, 'the newest blocks of the local chain could not be saved')
    }
    await stopProcess(identity, stopSteps)
  }

  /** Saves soon after a block with transactions, otherwise rarely. A slow save lengthens the interval. */
  async #saveOften(): Promise<void> {
    const { signal } = this.#stopping
    let savedAt = 0
    let seenBlock = -1n
    let pauseMs = lookEveryMs
    while (!signal.aborted) {
      await wait(systemClock, pauseMs, signal)
      if (signal.aborted) return
      try {
        const head = await this.client.getBlockNumber()
        const startedAt = systemClock.now()
        const isDue =
          startedAt - savedAt >= saveAtLeastEveryMs || (await this.#hasTransactions(seenBlock, head))
        if (isDue) {
          await this.save()
          savedAt = systemClock.now()
          pauseMs = Math.max(lookEveryMs, (savedAt - startedAt) * 20)
        }
        seenBlock = head
      } catch (error) {
        if (!signal.aborted) this.#log.warn({ err: error }, 'the local chain could not be saved; retrying')
      }
    }
  }

  async #hasTransactions(after: bigint, head: bigint): Promise<boolean> {
    if (head < after) return true
    for (let number = head; number > after; number--)
      if ((await this.client.getBlockTransactionCount({ blockNumber: number })) > 0) return true
    return false
  }
}

async function launch(options: AnvilOptions, stop?: AbortSignal): Promise<ProcessIdentity> {
  const statePath = join(options.folder, savedName)
  return launchAnvil(options, { statePath: existsSync(statePath) ? statePath : undefined, stop })
}

async function takeOver(options: AnvilOptions): Promise<ProcessIdentity | undefined> {
  const [found, ...others] = findAnvils(options.folder)
  if (!found || others.length > 0) return undefined
  const { program, args } = describeProcess(found.pid)
  const wanted = anvilArguments(options)
  if (program !== (await findAnvil())) return undefined
  if (args.slice(1, wanted.length + 1).join('\0') !== wanted.join('\0')) return undefined
  const client = anvilClient(rpcUrlOf(options.port))
  if (!(await responds(client))) return undefined
  // A service killed during shutdown may have stopped mining. This call accepts whole seconds only.
  const { blockTime } = options
  if (Number.isInteger(blockTime)) await client.setIntervalMining({ interval: Number(blockTime) })
  return found
}

/**
 * Ends every anvil that runs on the folder. Saves its state first, unless the folder is new: then the old
 * folder was deleted under a running anvil, and the chain must start empty.
 */
async function endLeftovers(folder: string, { isOurs }: { isOurs: boolean }): Promise<void> {
  for (const anvil of findAnvils(folder)) {
    const { args } = describeProcess(anvil.pid)
    const port = Number(args[args.indexOf('--port') + 1])
    const client = anvilClient(rpcUrlOf(port))
    if (isOurs && (await responds(client))) await saveChain(client, folder).catch(() => {})
    if (!(await stopProcess(anvil, stopSteps)))
      throw new Error(`anvil on ${folder} did not stop (process ${anvil.pid})`)
  }
}

function findAnvils(folder: string): ProcessIdentity[] {
  return findProcesses(
    ({ program, args }) =>
      basename(program.replace(/ \(deleted\)$/, '')) === 'anvil' &&
      args.includes(join(folder, 'anvil-cache')),
  )
}

type Dump = {
  readonly accounts: Readonly<Record<string, { readonly nonce: number; readonly code: string }>>
  readonly blocks: readonly { readonly transactions: readonly unknown[] }[]
  readonly transactions: readonly { readonly info: { readonly from: string; readonly nonce: number } }[]
}

/**
 * Saves the whole chain atomically.
 *
 * Anvil mines during a dump, so a dump's accounts and blocks can be from different times. A chain loaded from
 * such a dump has balances that no block explains. Inconsistent dumps are repeated.
 */
export async function saveChain(client: AnvilClient, folder: string): Promise<void> {
  const request = client.request as (call: object) => Promise<unknown>
  for (let tries = 1; tries <= maxTries; tries++) {
    const dump = Buffer.from(((await request({ method: 'anvil_dumpState' })) as Hex).slice(2), 'hex')
    const state = (await unpack(dump)).toString()
    if (isWhole(JSON.parse(state))) return writePrivateFile(join(folder, savedName), state)
  }
  throw new Error(`a block was mined during each of ${maxTries} dumps`)
}

/** Returns whether a dump is consistent: each sender's nonce matches its transactions. */
export function isWhole({ accounts, blocks, transactions }: Dump): boolean {
  const inBlocks = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  if (inBlocks !== transactions.length) return false
  const next = new Map<string, number>()
  for (const { info } of transactions) next.set(info.from, Math.max(next.get(info.from) ?? 0, info.nonce + 1))
  const hasSentAll = [...next].every(([sender, nonce]) => accounts[sender]?.nonce === nonce)
  // A contract's nonce counts its creations.
  return (
    hasSentAll &&
    Object.entries(accounts).every(([it, { nonce, code }]) => nonce === 0 || code !== '0x' || next.has(it))
  )
}

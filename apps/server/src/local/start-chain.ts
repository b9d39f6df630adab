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
  answers,
  anvilArguments,
  anvilClient,
  findAnvil,
  launchAnvil,
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
 * Starts the local chain on what was saved of it in `folder`, on the same port as the last time where
 * that is free. One that a killed service has left behind is taken over with all its blocks where it runs
 * as it would be started now and answers; else it is ended. There are never two on one folder.
 *
 * The folder must be held by this process alone.
 *
 * @param stop - Ends the start; no chain that was not taken over runs any more when this rejects.
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
    needs.log.info({ port: lastPort }, 'took over the local chain that a killed service left behind')
    return new LocalChain(needs, optionsFor(lastPort), taken)
  }
  await endLeftovers(folder, { isOurs: lastPort !== undefined })
  return withFreePort(lastPort, async (port) => {
    const options = optionsFor(port)
    if (port !== lastPort) await writePrivateFile(portFile, `${port}\n`)
    return new LocalChain(needs, options, await launch(options, stop))
  })
}

/** A running local chain. Should anvil die, it is started again from what was saved last: a deep reorg. */
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

  /** Anvil's pid at this moment. */
  get pid(): number {
    return this.#watched.identity.pid
  }

  /** Saves the chain now. Changes made without a transaction (a balance that was set) are saved by this alone. */
  save(): Promise<void> {
    // Two that write at once would take each other's drafts away.
    const saving = this.#lastSave.then(() => saveChain(this.client, this.#folder))
    this.#lastSave = saving.catch(() => {})
    return saving
  }

  /** Mines no further block, saves all there are and ends anvil. Safe to call twice. */
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

  /** Soon after a block with transactions, seldom without; the longer a save takes the less often. */
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
        if (!signal.aborted)
          this.#log.warn({ err: error }, 'the local chain could not be saved; it will be retried')
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

/** Loading at the start means that nobody ever sees this chain empty. */
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
  if (!(await answers(client))) return undefined
  // A service that was killed while it stopped may have ended the mining. This call takes whole seconds only.
  const { blockTime } = options
  if (Number.isInteger(blockTime)) await client.setIntervalMining({ interval: Number(blockTime) })
  return found
}

/**
 * Ends every anvil on the folder. What one has in its blocks is saved first, if it still answers, but not where
 * the folder knows of no chain: then it was deleted under a running one, and is to begin anew.
 */
async function endLeftovers(folder: string, { isOurs }: { isOurs: boolean }): Promise<void> {
  for (const anvil of findAnvils(folder)) {
    const { args } = describeProcess(anvil.pid)
    const port = Number(args[args.indexOf('--port') + 1])
    const client = anvilClient(rpcUrlOf(port))
    if (isOurs && (await answers(client))) await saveChain(client, folder).catch(() => {})
    if (!(await stopProcess(anvil, stopSteps)))
      throw new Error(`anvil on ${folder} does not stop (process ${anvil.pid})`)
  }
}

/** Every anvil knows its folder by its arguments. */
function findAnvils(folder: string): ProcessIdentity[] {
  return findProcesses(
    ({ program, args }) =>
      basename(program.replace(/ \(deleted\)$/, '')) === 'anvil' &&
      args.includes(join(folder, 'anvil-cache')),
  )
}

/** What a dump of anvil holds, as far as it is judged here. */
type Dump = {
  readonly accounts: Readonly<Record<string, { readonly nonce: number; readonly code: string }>>
  readonly blocks: readonly { readonly transactions: readonly unknown[] }[]
  readonly transactions: readonly { readonly info: { readonly from: string; readonly nonce: number } }[]
}

/**
 * Saves the whole chain, blocks included; a crash meanwhile leaves the state saved before.
 *
 * Anvil does not hold still for a dump: one taken while a block is mined has the accounts of one moment and
 * the blocks of another, and a chain loaded from it has paid what no block of it tells of. Such a dump is
 * thrown away and taken again.
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

/** Whether accounts, blocks and transactions of a dump are of one moment: each sender has sent what is there of it. */
export function isWhole({ accounts, blocks, transactions }: Dump): boolean {
  const inBlocks = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  if (inBlocks !== transactions.length) return false
  const next = new Map<string, number>()
  for (const { info } of transactions) next.set(info.from, Math.max(next.get(info.from) ?? 0, info.nonce + 1))
  const hasSentAll = [...next].every(([sender, nonce]) => accounts[sender]?.nonce === nonce)
  // A contract's nonce counts what it made.
  return (
    hasSentAll &&
    Object.entries(accounts).every(([it, { nonce, code }]) => nonce === 0 || code !== '0x' || next.has(it))
  )
}

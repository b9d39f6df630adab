import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import pg from 'pg'
import { getAbiItem, parseTransaction, toFunctionSelector } from 'viem'
import type { Runtime } from '../../../src/app/runtime.ts'
import type { Block, BlockHeader, Chain, Hex } from '../../../src/chain/chain.ts'
import { authorizationAbi } from '../../../src/payments/relaying/relay-call.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Timings } from '../../../src/platform/jobs/timings.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { type AtStatement, wrapDatabase } from '../database/wrap-database.ts'

/** Timings of a service under test: at most a quarter of the production timings. */
export const shortTimings: Timings = {
  leaseMs: 600,
  intervalScale: 0.2,
  facilitatorRetryMs: 5_000,
  localBlockSeconds: 0.2,
}

/**
 * Kills or stops this process at one of these moments:
 * - `before-commit:` or `after-commit:` and the name of a statement
 * - `after-read:logs` or `after-read:coin`, if the read found any
 * - `before-send:` or `after-send:` and the kind of an outgoing transaction
 * - `before-webhook:` or `after-webhook:` and the status in its body
 * - `before-query:` and the beginning of a migration's statement
 */
export class Killer {
  readonly #killAt: string
  readonly #signal: 'SIGKILL' | 'SIGSTOP'
  #isDone = false

  /** @param signal - `SIGSTOP` stops the process once, until a SIGCONT. */
  constructor(killAt: string, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL') {
    this.#killAt = killAt
    this.#signal = signal
  }

  isAt(moment: string): boolean {
    return this.#killAt === moment && !this.#isDone
  }

  pass(moment: string): void {
    if (this.isAt(moment)) this.die()
  }

  passQuery(text: string): void {
    const [when, start] = [this.#killAt.slice(0, 13), this.#killAt.slice(13)]
    if (when === 'before-query:' && text.trimStart().startsWith(start)) this.die()
  }

  die(): void {
    this.#isDone = true
    process.kill(process.pid, this.#signal)
    // A signal that a process sends to itself arrives before the call returns.
    if (this.#signal === 'SIGKILL') throw new Error('unreachable')
  }
}

export function makeMortal(context: Runtime, killer: Killer): Runtime {
  return {
    ...context,
    db: mortalDatabase(context.db, killer),
    chain: mortalChain(context.chain, killer),
    webhooks: mortalWebhooks(context.webhooks, killer),
  }
}

/** Watches every statement of the driver, since migrations do not use the runtime's database. */
export function watchQueries(killer: Killer): void {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const original = prototype.query
  prototype.query = function query(this: unknown, ...args: unknown[]) {
    if (typeof args[0] === 'string') killer.passQuery(args[0])
    return original.apply(this, args)
  }
}

function mortalDatabase(inner: Database, killer: Killer): Database {
  /** Runs a single statement in a transaction, so that the process can die before its commit. */
  const alone: AtStatement = async ({ name }, run) => {
    if (killer.isAt(`before-commit:${name}`)) {
      return inner.transaction(async (tx) => {
        const done = await run(tx)
        // A transaction that the server has ended meanwhile runs a second time.
        killer.pass(`before-commit:${name}`)
        return done
      })
    }
    const result = await run()
    killer.pass(`after-commit:${name}`)
    return result
  }
  return {
    ...wrapDatabase(inner, alone),
    async transaction(work) {
      const names = new Set<string>()
      const note: AtStatement = ({ name }, run) => {
        names.add(name)
        return run()
      }
      const result = await inner.transaction(async (tx) => {
        names.clear()
        const done = await work(wrapDatabase(tx, note))
        for (const name of names) killer.pass(`before-commit:${name}`)
        return done
      })
      for (const name of names) killer.pass(`after-commit:${name}`)
      return result
    },
  }
}

function mortalChain(inner: Chain, killer: Killer): Chain {
  return {
    ...inner,
    async readLogs(filter) {
      const logs = await inner.readLogs(filter)
      if (logs.length > 0) killer.pass('after-read:logs')
      return logs
    },
    async readLogsOfAll(filters) {
      const logs = await inner.readLogsOfAll(filters)
      if (logs.length > 0) killer.pass('after-read:logs')
      return logs
    },
    async readBlocks(from, to) {
      const blocks = await inner.readBlocks(from, to)
      if (hasNativeToken(blocks)) killer.pass('after-read:coin')
      return blocks
    },
    async readRange(range) {
      const response = await inner.readRange(range)
      if (hasNativeToken(response.blocks)) killer.pass('after-read:coin')
      if (response.logs.length > 0) killer.pass('after-read:logs')
      return response
    },
    async sendRaw(raw) {
      const kind = kindOf(raw)
      killer.pass(`before-send:${kind}`)
      await inner.sendRaw(raw)
      killer.pass(`after-send:${kind}`)
    },
  }
}

function hasNativeToken(blocks: readonly (BlockHeader | Block)[]): boolean {
  return blocks.some((block) => 'transactions' in block && block.transactions.some(({ value }) => value > 0n))
}

const kinds = new Map<string, string>([
  [toFunctionSelector(getAbiItem({ abi: splitFactoryAbi, name: 'createSplit' })), 'deploy'],
  [toFunctionSelector(getAbiItem({ abi: splitFactoryAbi, name: 'sweepMany' })), 'sweep'],
  [toFunctionSelector(getAbiItem({ abi: merchantSplitAbi, name: 'distribute' })), 'distribute'],
  [toFunctionSelector(getAbiItem({ abi: pullFactoryAbi, name: 'pullWithPermit' })), 'relay'],
  [toFunctionSelector(getAbiItem({ abi: pullFactoryAbi, name: 'pullWithPermit2' })), 'relay'],
  ...authorizationAbi.flatMap((item): [Hex, string][] =>
    item.type === 'function' ? [[toFunctionSelector(item), 'relay']] : [],
  ),
])

function kindOf(raw: Hex): string {
  const { data } = parseTransaction(raw as `0x02${string}`)
  return kinds.get(data?.slice(0, 10) ?? '') ?? 'fill'
}

function mortalWebhooks(inner: Outbound, killer: Killer): Outbound {
  return {
    async request(request) {
      const { status } = JSON.parse(request.body ?? '{}') as { status?: string }
      killer.pass(`before-webhook:${status}`)
      const outcome = await inner.request(request)
      killer.pass(`after-webhook:${status}`)
      return outcome
    },
  }
}

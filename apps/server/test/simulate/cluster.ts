import { AsyncResource } from 'node:async_hooks'
import type { Bps } from '@sluice/protocol/money.ts'
import { addMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { connectChain } from '../../src/chain/rpc/connect-chain.ts'
import { Outage } from '../../src/kernel/outage.ts'
import type { Pool } from '../../src/platform/database/database.ts'
import { DatastoreAway } from '../../src/platform/database/degraded.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { makeLog } from '../../src/platform/log.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { testBaseUrl } from '../support/api/call-api.ts'
import { newWallet } from '../support/api/sessions.ts'
import { type JobName, testJwtSecret, testMasterKey } from '../support/api/start-api.ts'
import { setDatabaseTime } from '../support/database/database-time.ts'
import { seededRandom } from '../support/test-random.ts'
import { GatedDatabase, type StatementHooks } from './gated-database.ts'
import { openNodes } from './nodes.ts'
import { Broken, type Oracle } from './oracle.ts'
import { Replica } from './replica.ts'
import { Killed, type Task } from './scheduler.ts'
import type { World } from './world.ts'

/** Where simulations of one process run, one after the other. */
export type Place = {
  readonly pool: Pool
  readonly dataDir: string
  /** Codes of the factories, which the service verifies. */
  readonly factoryCode: Hex
  readonly pullFactoryCode: Hex
}

const mostSteps = 20_000
/** Statements of a transaction that is worth a fault. */
const wholeCommit = 3
/** Time after which PostgreSQL ends a transaction that does nothing. */
const idleSeconds = 3

/** The replicas of the service, which share a database and a world. */
export class Cluster {
  readonly replicas: Replica[] = []
  readonly platform = { feeBps: 50 as Bps, recipient: newWallet(seededRandom('platform')).wallet }
  /** What happens right after the next commit of several statements, before its code continues. */
  atCommit: 'response lost' | 'killed' | undefined
  readonly #place: Place
  readonly #world: World
  readonly #oracle: Oracle
  /** Open transactions of all replicas. */
  readonly #open = new Set<object>()
  /** How far the clock of a replica is ahead, by name. */
  readonly #skewMs = new Map<string, number>()
  #openedCount = 0
  #broken: Error | undefined

  constructor(place: Place, world: World, oracle: Oracle) {
    this.#place = place
    this.#world = world
    this.#oracle = oracle
    world.scheduler.onError = (task, error) => {
      if (!(error instanceof Outage))
        this.#broken ??= new Broken(`${describe(task)}: ${String((error as Error).stack)}`)
    }
  }

  async start(names: readonly string[]): Promise<void> {
    for (const name of names) this.replicas.push(await this.#openReplica(name))
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) await this.#world.scheduler.kill(replica)
    await Promise.all(this.replicas.map((replica) => replica.close()))
  }

  /** Kills a replica between two statements and starts it again. */
  async kill(replica: Replica): Promise<void> {
    const { scheduler } = this.#world
    const gates = scheduler.gates.filter(({ task }) => task.owner === replica)
    const where = gates.map(({ task, what }) => `${task.name} before ${what}`)
    this.#world.say(`${replica.name} is killed: ${where.join(', ') || 'idle'}`)
    await scheduler.kill(replica)
    await replica.close()
    this.replicas[this.replicas.indexOf(replica)] = await this.#openReplica(replica.name)
  }

  /** Kills all replicas, and starts them again after `meanwhile`. */
  async restart(meanwhile: () => Promise<void>): Promise<void> {
    for (const replica of this.replicas) await this.#world.scheduler.kill(replica)
    await Promise.all(this.replicas.map((replica) => replica.close()))
    await meanwhile()
    for (const [i, { name }] of this.replicas.entries()) this.replicas[i] = await this.#openReplica(name)
  }

  setClock(replica: Replica, skewMs: number): void {
    this.#skewMs.set(replica.name, skewMs)
    if (skewMs !== 0) this.#world.wasSkewed = true
  }

  /** Starts a round of a job, unless one is running there. */
  async startJob(replica: Replica, name: JobName): Promise<void> {
    const job = replica.job(name)
    const { scheduler } = this.#world
    const isRunning = [...scheduler.tasks].some((task) => task.owner === replica && task.name === name)
    if (!job || isRunning || replica.isFrozen) return
    this.#world.record(`${replica.name}: ${name}`)
    await scheduler.start(replica, name, async () => {
      await job.run(name === jobNames.scanLost ? firstPages() : new AbortController().signal)
    })
  }

  async runJob(replica: Replica, name: JobName): Promise<void> {
    await this.startJob(replica, name)
    await this.finish()
  }

  /** Lets every task run to its end, one after the other. */
  async finish(): Promise<void> {
    const { scheduler } = this.#world
    for (let steps = 0, blockedCount = 0; scheduler.tasks.size > 0; steps++) {
      if (steps > mostSteps)
        throw new Broken(`these do not end: ${[...scheduler.tasks].map(describe).join(', ')}`)
      const free = scheduler.gates.find(({ isBlocked }) => !isBlocked)
      const gate = free ?? scheduler.gates[blockedCount % scheduler.gates.length]
      blockedCount = free ? 0 : blockedCount + 1
      if (!gate) await this.pass(1, 0)
      else if (blockedCount > 2 * scheduler.gates.length && gate.isInside)
        await scheduler.abort(gate, '40P01')
      else await scheduler.resume(gate)
      this.check()
    }
  }

  /** Lets time pass for people, chain, replicas and database. */
  async pass(seconds: number, blockCount: number): Promise<void> {
    const { scheduler, clock } = this.#world
    await this.#world.pass(seconds, blockCount)
    await setDatabaseTime(this.#place.pool, clock.now())
    if (seconds < idleSeconds) return
    const idle = scheduler.gates.filter(({ task, isInside }) => isInside && task.owner.isFrozen)
    for (const gate of idle) await scheduler.abort(gate, '25P03')
  }

  /** @throws {Broken} if a commit broke a promise. */
  check(): void {
    if (this.#broken) throw this.#broken
  }

  /** Starts replicas again that were killed inside a task. */
  async revive(): Promise<void> {
    for (const replica of this.replicas) if (replica.isDead) await this.kill(replica)
  }

  async #openReplica(name: string): Promise<Replica> {
    const world = this.#world
    const { contracts, scheduler, clock, keeper, nodes, seed } = world
    const { pool, dataDir, factoryCode, pullFactoryCode } = this.#place
    const codes = new Map([
      [contracts.factory, factoryCode],
      [contracts.pullFactory, pullFactoryCode],
    ])
    const outbound = openNodes(world.model, { nodes, codes, scheduler }, (line) =>
      world.record(`${name} ${line}`),
    )
    return Replica.open(name, {
      config: {
        ...readConfig({ BASE_URL: testBaseUrl, RATE_LIMIT_SCALE: '0' }),
        ...{ masterKey: testMasterKey, jwtSecret: testJwtSecret, databaseUrl: '', dataDir },
        ...{ deployerKey: keeper.privateKey, keeperKey: keeper.privateKey },
        relayerKey: world.relaying?.privateKey,
        splitChangeDelayMs: world.splitDelayMs,
        ...{ platformFeeBps: this.platform.feeBps, platformRecipient: this.platform.recipient },
      },
      clock: {
        now: () => addMs(clock.now(), this.#skewMs.get(name) ?? 0),
        // A timer belongs to the task that set it, and ends with its replica.
        after: (delayMs, job) => clock.after(delayMs, AsyncResource.bind(job)),
      },
      random: seededRandom(`${seed}:${name}:${this.#openedCount++}`),
      log: makeLog('silent'),
      db: new GatedDatabase(pool, this.#hooksOf(name), this.#open),
      chain: (log, ownClock) =>
        connectChain(
          { outbound, clock: ownClock, log },
          describeNetwork(31_337, contracts),
          nodes.map(({ url }) => url),
        ),
      webhooks: world.receiver.open((what) => {
        this.#broken ??= new Broken(what)
      }),
      onramp: world.cards ? [world.cards.connect()] : [],
    })
  }

  #hooksOf(name: string): StatementHooks {
    const { scheduler } = this.#world
    return {
      scheduler,
      record: (text, values) => this.#world.record(`${name} ${text} ${shown(values)}`),
      leave: (texts) => {
        const { current } = scheduler
        // Requests would go to the journal on the disk.
        const isCounted = current && texts.length >= wholeCommit && isJob(current.name)
        if (!this.atCommit || !isCounted) return
        const what = this.atCommit
        this.atCommit = undefined
        this.#world.say(`${name}: after a commit of ${current.name}: ${what}`)
        if (what === 'response lost') throw new DatastoreAway('The simulation lost the response to a commit')
        current.owner.isDead = true
        throw new Killed('after a commit')
      },
      committed: (texts) =>
        this.#oracle.afterCommit(texts).catch((error: Error) => {
          this.#broken ??= error
        }),
    }
  }
}

const isJob = (name: string) => Object.values<string>(jobNames).includes(name)

/** Ends a scan after its first pages: the service reads 256 addresses for each second of a lost time. */
function firstPages(): AbortSignal {
  let left = 2
  return {
    get aborted() {
      return left-- <= 0
    },
  } as AbortSignal
}

function describe({ owner, name }: Task): string {
  return `${owner.name} ${name}`
}

function shown(values: readonly unknown[]): string {
  return JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

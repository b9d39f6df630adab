import type { Pool } from '../../src/platform/database/database.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import type { JobName } from '../support/api/start-api.ts'
import { CardBuyer } from './card-buyer.ts'
import { CardProvider } from './card-provider.ts'
import { Cluster, type Place } from './cluster.ts'
import { emptyDatabase } from './database-copy.ts'
import { Desk } from './desk.ts'
import { Draw } from './draw.ts'
import { Editor, sellerOf } from './editor.ts'
import { harm, mendAll, setDayOff } from './faults.ts'
import { OlderCopy } from './older-copy.ts'
import { openMerchant, openOther } from './open-merchant.ts'
import { Broken, Oracle } from './oracle.ts'
import { Relaying } from './relaying.ts'
import type { Replica } from './replica.ts'
import { findUnrest } from './rest.ts'
import { Sale } from './sale.ts'
import type { Gate } from './scheduler.ts'
import { SigningBuyer } from './signing-buyer.ts'
import { SplitChanger } from './split-changer.ts'
import { stall } from './stall.ts'
import { Stranger } from './stranger.ts'
import { daysOfDelivery, findUntold } from './untold.ts'
import { countWebCrypto } from './web-crypto.ts'
import { cardWork, rareWork, relayWork, splitWork, usualWork } from './work.ts'
import { World } from './world.ts'

export type Outcome = {
  readonly seed: number
  /** The broken promise, or `undefined`. */
  readonly broken: string | undefined
  /** What people did and what failed, in words. */
  readonly timeline: readonly string[]
  /** Every statement, request and event. */
  readonly trace: readonly string[]
  readonly hash: string
}

export const turnCount = 70
const mostTasks = 6
/** Round of rest in which the merchant or a stranger acts for the last time. */
const lastLateRound = 4
/** Rounds of all jobs that may pass until everything is done. */
const mostRounds = 24

/**
 * Runs sales on two replicas of the service, with a virtual clock, a modeled chain and a real database. The
 * seed decides every random byte of the service, what people do, what fails, and who continues after each
 * statement and each request.
 *
 * @param options.skip - Turns to leave out. The other turns draw the same as before.
 */
export async function simulate(
  place: Place,
  seed: number,
  options: { skip?: ReadonlySet<number> } = {},
): Promise<Outcome> {
  const simulation = new Simulation(place, seed)
  let broken: string | undefined
  try {
    await emptyDatabase(place.pool)
    await simulation.run(options.skip ?? new Set())
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    broken = error.message
  } finally {
    await simulation.stop()
  }
  const { timeline, trace, hash } = simulation.world
  return { seed, broken, timeline, trace, hash }
}

class Simulation {
  readonly world: World
  readonly #seed: number
  readonly #style: Draw
  readonly #pool: Pool
  readonly #cluster: Cluster
  readonly #sales: Sale[] = []
  /** Sales of the second merchant. */
  readonly #others: Sale[] = []
  /** Everybody who takes steps. */
  readonly #people: { act(replica: Replica, draw: Draw): Promise<void> }[] = []
  /** Those who act also when nothing fails any more. */
  readonly #late: { act(replica: Replica, draw: Draw): Promise<void> }[] = []
  readonly #provider: CardProvider | undefined
  readonly #relaying: Relaying | undefined
  readonly #hasChanges: boolean
  readonly #work: readonly JobName[]
  readonly #oracle: Oracle
  #olderCopy: OlderCopy | undefined
  /** Gates that a task passes before another one has its turn, on average. */
  readonly #burst: number
  readonly #faultWeight: number

  constructor(place: Place, seed: number) {
    this.#seed = seed
    this.#style = new Draw(`${seed}:style`)
    this.#burst = this.#style.pick([1_000, 30, 6, 1.5])
    this.#faultWeight = this.#style.pick([0, 0.5, 2])
    this.world = new World(seed, this.#style)
    countWebCrypto(this.world.scheduler)
    this.#pool = place.pool
    if (new Draw(`${seed}:has cards`).isIn(0.35)) this.#provider = new CardProvider(this.world)
    this.world.cards = this.#provider
    // After a restore, these people would have to know what the service has forgotten.
    const { restores } = this.world.has
    if (!restores && new Draw(`${seed}:has relayer`).isIn(0.15)) this.#relaying = new Relaying(this.world)
    this.world.relaying = this.#relaying
    const changes = new Draw(`${seed}:has changes`)
    this.#hasChanges = changes.isIn(0.15) && !restores
    this.world.splitDelayMs = changes.pick([0, 0, 12_000])
    this.#work = [
      ...usualWork,
      ...(this.#provider ? cardWork : []),
      ...(this.#relaying ? relayWork : []),
      ...(this.#hasChanges ? splitWork : []),
      ...(restores ? [jobNames.scanLost] : []),
    ]
    this.#oracle = new Oracle(this.world, place.pool)
    this.#cluster = new Cluster(place, this.world, this.#oracle)
  }

  async run(skip: ReadonlySet<number>): Promise<void> {
    await this.#begin()
    for (let turn = 0; turn < turnCount; turn++) {
      if (skip.has(turn)) continue
      await this.#take(new Draw(`${this.#seed}:${turn}`))
      await this.#cluster.revive()
      this.#cluster.check()
    }
    mendAll(this.world, this.#cluster)
    this.world.relaying?.mend()
    await this.#comeToRest()
  }

  stop(): Promise<void> {
    return this.#cluster.stop()
  }

  /** Adds a merchant with a split, and its sales. */
  async #begin(): Promise<void> {
    const cluster = this.#cluster
    await cluster.pass(0, 0)
    await cluster.start(['A', 'B'])
    const [first] = cluster.replicas as [Replica]
    const { wallet, privateKey } = sellerOf(this.#seed)
    const seller = { privateKey, ...(await openMerchant(this.world, cluster, wallet)) }
    const count = 1 + this.#style.below(3)
    for (let i = 1; i <= count; i++) this.#sales.push(new Sale(this.world, seller, `sale-${i}`, this.#style))
    this.#people.push(...this.#sales)
    const provider = this.#provider
    if (provider) {
      this.#people.push(...this.#sales.map((sale) => new CardBuyer(this.world, seller, sale)))
      this.#people.push(provider, provider, provider, new Editor(this.world, this.#sales))
    }
    const relaying = this.#relaying
    if (relaying) {
      const signing = this.#sales.map((sale) => new SigningBuyer(this.world, relaying, seller, sale))
      this.#people.push(...signing, ...signing, ...signing, relaying)
    }
    this.#others.push(...(await openOther(this.world, cluster)))
    this.#people.push(...this.#others)
    if (this.#hasChanges) {
      const changer = new SplitChanger(this.world, cluster.platform, seller)
      this.#sales.push(changer.sale)
      this.#people.push(changer)
      this.#late.push(changer, changer)
    }
    if (this.world.has.strangers) this.#late.push(new Stranger(this.world, [...this.#sales, ...this.#others]))
    if (this.world.has.desk) this.#late.push(new Desk(this.world, seller, this.#sales))
    this.#people.push(...this.#late)
    const witnesses = [
      ...(provider ? [provider] : []),
      this.world,
      this.world.receiver,
      this.#oracle,
      ...this.#sales,
    ]
    if (this.world.has.restores) this.#olderCopy = new OlderCopy(this.#pool, this.world, cluster, witnesses)
    for (let i = 0; i < 2; i++) {
      for (const name of [jobNames.deploySplits, jobNames.settleTransactions, jobNames.scanTransfers])
        await cluster.runJob(first, name)
      await cluster.pass(6, 4)
    }
    // Receipts that expire must not expire by a clock that is wrong from the start.
    const isWrong =
      this.world.has.expiries && !this.world.has.restores && new Draw(`${this.#seed}:clock`).isIn(0.4)
    if (isWrong) setDayOff(this.world, cluster, cluster.replicas[1] as Replica, 1)
  }

  async #take(draw: Draw): Promise<void> {
    const cluster = this.#cluster
    const kind = draw.weighted({
      go: 8,
      job: 6,
      time: 2.5,
      people: this.#relaying ? 9 : this.#provider ? 6 : 3,
      fault: this.#faultWeight,
      stall: this.world.has.stalls && this.#faultWeight > 0 ? 0.5 : 0,
      copy: this.#olderCopy ? 1.5 : 0,
    })
    const replica = draw.pick(cluster.replicas)
    if (kind === 'time' && this.#provider && !this.#olderCopy && draw.isIn(0.04))
      return cluster.pass(26 * 3_600, 2)
    if (kind === 'time') return this.#pass(draw)
    if (kind === 'stall') return stall(this.world, cluster, draw)
    if (kind === 'people') await draw.pick(this.#people).act(replica, draw)
    else if (kind === 'copy') await this.#olderCopy?.act()
    else if (kind === 'fault') await harm(this.world, cluster, draw)
    else if (kind === 'job' && this.world.scheduler.tasks.size < mostTasks)
      await cluster.startJob(replica, draw.pick(this.#work))
    await this.#go(draw)
  }

  #pass(draw: Draw): Promise<void> {
    // Offers hold for some minutes.
    const isLong = this.world.has.expiries && !this.#olderCopy && draw.isIn(0.08)
    if (isLong) this.world.say('twenty minutes pass')
    return isLong ? this.#cluster.pass(1_200, 4) : this.#cluster.pass(1 + draw.below(4), draw.below(3))
  }

  /** Lets one task pass some gates. */
  async #go(draw: Draw): Promise<void> {
    const { scheduler } = this.world
    const gates = scheduler.gates.filter(({ task }) => !task.owner.isFrozen)
    if (gates.length === 0) return
    let gate: Gate | undefined = draw.pick(gates)
    const { task } = gate
    do {
      await scheduler.resume(gate)
      this.#cluster.check()
      gate = scheduler.gates.find((each) => each.task === task)
    } while (gate && !task.owner.isDead && !gate.isBlocked && !draw.isIn(1 / this.#burst))
  }

  /** Most receipts are paid by now: the merchant refunds and decides, and a reorg removes some of it. */
  async #actLate(replica: Replica, round: number): Promise<void> {
    if (this.#late.length === 0 || round < 2 || round > lastLateRound) return
    const draw = new Draw(`${this.#seed}:rest:${round}`)
    for (let i = 0; i < 3; i++) {
      await draw.pick(this.#late).act(replica, draw)
      await this.#cluster.finish()
    }
    if (this.#faultWeight === 0 || !draw.isIn(0.4)) return
    await this.#cluster.pass(1, 1)
    await this.#cluster.runJob(replica, jobNames.scanTransfers)
    await this.#cluster.runJob(replica, jobNames.verifyRefunds)
    await harm(this.world, this.#cluster, draw, 'reorg')
  }

  /** Gives everything time until nothing is open. */
  async #comeToRest(): Promise<void> {
    const cluster = this.#cluster
    await cluster.finish()
    await this.#waitForRest()
    const { refunds } = this.#oracle
    if (!this.#provider && !refunds.hasMissing()) return
    await cluster.pass(daysOfDelivery * 86_400, 2)
    await this.#waitForRest()
    const untold = (await findUntold(this.world, this.#pool, { isLate: true })) ?? (await refunds.whenLate())
    if (untold !== undefined) throw new Broken(`at rest: ${untold}`)
  }

  async #waitForRest(): Promise<void> {
    const cluster = this.#cluster
    for (let round = 0, restCount = 0; restCount < 2; round++) {
      const replica = cluster.replicas[round % 2] as Replica
      await this.#actLate(replica, round)
      const isRare = round % 3 === 2
      for (const name of new Set(this.#work))
        if (isRare || !rareWork.has(name)) await cluster.runJob(replica, name)
      // Coin at the deposit address of a token is searched every hour.
      const isHour = round === lastLateRound + 1 && (this.world.has.strangers || this.world.has.stalls)
      const isSearched = this.world.isRestored && round > lastLateRound && round <= lastLateRound + 2
      if (isSearched) await this.#pool.run(searchAgain)
      await cluster.pass(isHour || isSearched ? 3_600 : Math.min(4 + round * round * 4, 600), 4)
      const unrest =
        (await findUnrest(this.world, this.#pool, [...this.#sales, ...this.#others])) ??
        (await this.#oracle.refunds.atRest())
      if (unrest !== undefined && round === mostRounds) throw new Broken(`at rest: ${unrest}`)
      const isQuiet =
        round > (this.world.isRestored ? lastLateRound + 3 : this.#late.length === 0 ? 2 : lastLateRound)
      restCount = unrest === undefined && isQuiet ? restCount + 1 : 0
    }
  }
}

/** A scan of a lost time begins again with its first pages, which have every address that was handed out. */
const searchAgain = { name: '', text: 'UPDATE lost_time SET next_place = 0' }

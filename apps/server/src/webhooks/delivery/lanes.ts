import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { allLanes, laneCount } from '../../platform/jobs/lane.ts'
import {
  claimLeases,
  dropLapsedLeases,
  listLeases,
  pruneLeases,
  releaseLeases,
} from '../../platform/jobs/lease.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import { freeClaimsOf } from '../store.ts'

const prefix = 'webhooks/'
const processPrefix = `${prefix}process/`
const laneName = (lane: number) => `${prefix}lane/${lane}`

type LanesNeeds = { db: Database; clock: Clock; timings: Timings }

/**
 * The lanes this process works on, shared evenly with the others on this database: alone it has all.
 *
 * A lane says who looks for work, so that processes do not get in each other's way. It guards
 * nothing: two that hold one for a moment are kept apart by the notices' own claims.
 */
export class Lanes {
  readonly #needs: LanesNeeds
  readonly #holder: string
  /** A renewal after a lease ends, its partitions are taken over. A process on the same machine is not waited for. */
  readonly #leaseMs: number
  readonly #renewEveryMs: number
  /** The leases of all processes end while the database is away: those that live have renewed them by then. */
  readonly #goneAfterMs: number
  #held: readonly number[] = []
  #renewedAt: UnixMs | undefined

  /** @param holder - Names this process among all others, past ones included. */
  constructor(needs: LanesNeeds, holder: string) {
    this.#needs = needs
    this.#holder = holder
    this.#leaseMs = needs.timings.deliveryLeaseMs
    this.#renewEveryMs = this.#leaseMs / 3
    this.#goneAfterMs = 2 * this.#renewEveryMs
  }

  /** Joins in, renews what is held and evens out the shares, if that is due; the lanes to work on now. */
  async hold(): Promise<readonly number[]> {
    const now = this.#needs.clock.now()
    const isDue = this.#renewedAt === undefined || Math.abs(now - this.#renewedAt) >= this.#renewEveryMs
    if (isDue) await this.#renew(now)
    return this.#held
  }

  /** Leaves: the others need not wait for the leases to end. */
  async release(): Promise<void> {
    const names = [processPrefix + this.#holder, ...this.#held.map(laneName)]
    this.#held = []
    this.#renewedAt = undefined
    await releaseLeases(this.#needs.db, names, this.#holder)
  }

  async #renew(now: UnixMs): Promise<void> {
    const { db } = this.#needs
    const me = processPrefix + this.#holder
    if (this.#renewedAt === undefined) await pruneLeases(db, processPrefix)
    const leases = await listLeases(db, prefix, this.#goneAfterMs)
    const share = shareLanes(
      leases.filter(({ isHeld }) => isHeld),
      this.#holder,
    )
    if (share.giveBack.length > 0) await releaseLeases(db, share.giveBack.map(laneName), this.#holder)
    const got = await claimLeases(db, [me, ...share.claim.map(laneName)], this.#holder, this.#leaseMs)
    this.#held = allLanes.filter((lane) => got.includes(laneName(lane)))
    this.#renewedAt = now
    // If this process finds its own lease ended, it is late and not gone: its requests are still under way.
    const isGone = ({ name, holder, isHeld }: (typeof leases)[number]) =>
      !isHeld && name.startsWith(processPrefix) && holder !== this.#holder
    await this.#freeClaimsOf(
      leases.filter(isGone).map(({ holder }) => holder),
      now,
    )
  }

  /** What a process that is gone had begun to send is sent by another, and not when its claims have run out. */
  async #freeClaimsOf(gone: readonly string[], now: UnixMs): Promise<void> {
    if (gone.length === 0) return
    const { db } = this.#needs
    await freeClaimsOf(db, gone, now)
    await dropLapsedLeases(db, processPrefix, this.#goneAfterMs)
  }
}

/**
 * What `holder` should claim (its own again included) and give back, as the leases held now stand.
 *
 * Every process counts the same members, so the shares add up to all lanes and differ by one at most.
 */
export function shareLanes(
  held: readonly { readonly name: string; readonly holder: string }[],
  holder: string,
): { claim: number[]; giveBack: number[] } {
  const others = held.filter(({ name }) => name.startsWith(processPrefix)).map((lease) => lease.holder)
  const members = [...new Set([...others, holder])].toSorted()
  const rank = members.indexOf(holder)
  const quota = Math.floor(laneCount / members.length) + (rank < laneCount % members.length ? 1 : 0)
  const holders = new Map(held.map((lease) => [lease.name, lease.holder]))
  const own = allLanes.filter((lane) => holders.get(laneName(lane)) === holder)
  const free = allLanes.filter((lane) => !holders.has(laneName(lane)))
  const start = Math.floor((free.length * rank) / members.length)
  const wanted = [...free.slice(start), ...free.slice(0, start)].slice(0, Math.max(0, quota - own.length))
  return { claim: [...own.slice(0, quota), ...wanted], giveBack: own.slice(quota) }
}

import type { Clock } from '../../kernel/clock.ts'
import { systemClock, wait } from '../../kernel/clock.ts'
import { AskedTogether } from '../../kernel/turns/asked-together.ts'
import { bool, int8, optional, text } from '../database/columns.ts'
import { type Database, Pool } from '../database/database.ts'
import { isDatastoreOutage } from '../database/degraded.ts'
import { statement } from '../database/statement.ts'
import type { Log } from '../log.ts'
import { StateLog } from '../state-log.ts'
import { ReplicaReads } from './replica-reads.ts'

/** How long a read waits for the replica to come to where the primary stood when it was asked; then the primary reads. */
const catchUpMs = 100
const askAgainMs = 5
/** How long it is not asked after it was too slow, or could not be reached. */
const slowForMs = 1_000
const awayForMs = 5_000

/** Why a replica is not read from. */
export type ReplicaFault = 'behind' | 'unreachable' | 'no replica of this database'

/** Whether the replica is read from, and how many reads went where; for the operator. */
export type ReplicaState = {
  readonly fault: ReplicaFault | undefined
  /** What it had not yet replayed when it was looked at last, in bytes of WAL. */
  readonly behindBytes: number
  readonly fromReplica: number
  readonly fromPrimary: number
}

/**
 * A streaming replica that lists are read from, and never what money or access depends on.
 *
 * What it gives is no older than the request: the primary is asked where its log stands, which is next to nothing for it,
 * and the replica has to have replayed that. So whoever has been told that something was written, by whichever process,
 * finds it. A replica that does not get there in {@link catchUpMs} is left out for a while, and the primary is read.
 */
export class ReadReplica {
  readonly #primary: Database
  readonly #replica: Pool
  readonly #clock: Clock
  readonly #states: StateLog
  readonly #written = new AskedTogether(() => this.#askPrimary())
  readonly #replayed = new AskedTogether(() => this.#askReplica())
  /** It has replayed all up to here, and is a replica of the primary's data. */
  #seen: bigint | undefined
  #leftOutUntil = 0
  #fault: ReplicaFault | undefined
  #behind = 0n
  #counts = { fromReplica: 0, fromPrimary: 0 }

  constructor(needs: { primary: Database; url: string; log: Log; clock?: Clock }) {
    const { primary, url, log, clock = systemClock } = needs
    this.#primary = primary
    this.#replica = new Pool({ url, log })
    this.#clock = clock
    this.#states = new StateLog(log)
  }

  get state(): ReplicaState {
    return { ...this.#counts, fault: this.#fault, behindBytes: Number(this.#behind) }
  }

  /** What the reads of one request are made on. */
  async reads(): Promise<Database> {
    const isUsed = await this.#isCaughtUp()
    this.#counts[isUsed ? 'fromReplica' : 'fromPrimary'] += 1
    if (!isUsed) return this.#primary
    return new ReplicaReads(this.#primary, this.#replica, (error) => this.#leaveOut('unreachable', error))
  }

  close(): Promise<void> {
    return this.#replica.close()
  }

  async #isCaughtUp(): Promise<boolean> {
    if (performance.now() < this.#leftOutUntil) return false
    const { at, system } = await this.#written.ask()
    const until = performance.now() + catchUpMs
    try {
      while (this.#seen === undefined || this.#seen < at) {
        const found = await this.#replayed.ask()
        if (found.at === undefined || found.system !== system)
          return this.#leaveOut('no replica of this database')
        this.#behind = found.at < at ? at - found.at : 0n
        this.#seen = found.at
        if (found.at >= at) break
        if (performance.now() >= until) return this.#leaveOut('behind')
        await wait(this.#clock, askAgainMs)
      }
    } catch (error) {
      if (!isDatastoreOutage(error)) throw error
      return this.#leaveOut('unreachable', error)
    }
    this.#fault = undefined
    this.#states.end('replica', 'lists are read from the replica again')
    return true
  }

  #leaveOut(fault: ReplicaFault, error?: unknown): false {
    // Whoever answers next may be another server, that has replayed less.
    this.#seen = undefined
    this.#fault = fault
    this.#leftOutUntil = performance.now() + (fault === 'behind' ? slowForMs : awayForMs)
    const fields = { fault, behindBytes: Number(this.#behind), ...(error !== undefined && { err: error }) }
    this.#states.say(
      'replica',
      fault,
      'warn',
      fields,
      'lists are read from the primary: the replica is left out',
    )
    return false
  }

  async #askPrimary() {
    const row = await this.#primary.row(askWritten())
    if (!row) throw new Error('the primary says where it stands')
    return row
  }

  async #askReplica() {
    const row = await this.#replica.row(askReplayed())
    return row?.isReplica ? row : { at: undefined, system: undefined }
  }
}

/** Up to the last commit that anybody was told of, with `synchronous_commit` on. */
const askWritten = statement({
  name: 'ask-written-position',
  reads: { at: int8(), system: text() },
  text: `SELECT (pg_current_wal_flush_lsn() - '0/0')::int8 AS at, system_identifier::text AS system
    FROM pg_control_system()`,
})

const askReplayed = statement({
  name: 'ask-replayed-position',
  reads: { at: optional(int8()), system: text(), isReplica: bool() },
  text: `SELECT (pg_last_wal_replay_lsn() - '0/0')::int8 AS at, system_identifier::text AS system,
      pg_is_in_recovery() AS is_replica
    FROM pg_control_system()`,
})

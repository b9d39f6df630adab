import pg from 'pg'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import { asOutage, DatastoreAway, isDatastoreOutage } from './degraded.ts'

/**
 * Length of a tick in milliseconds. Limits count ticks instead of clock time.
 *
 * A process that was frozen or busy reads the responses in its sockets before the next tick. Clock changes
 * have no effect.
 */
const turnMs = 125
/** Ticks to wait before a probe checks whether PostgreSQL responds. */
const patienceTurns = 6
/** Ticks until a probe fails: less than two seconds in total, including the wait before it. */
const healthCheckTurns = 8
/** Ticks between two probes of a silent database. */
const pauseTurns = 4

const tooManyConnections = '53300'

type Asked = {
  turns: number
  readonly limitTurns: number
  readonly giveUp: () => void
}

/**
 * Distinguishes a database that does not respond from a slow statement.
 *
 * A frozen or disconnected host closes no connection, so callers would wait for minutes. After a long wait, a
 * new connection is tried. If it gets no response either, all calls are aborted, and new calls fail at once
 * until a connection succeeds.
 */
export class HealthMonitor {
  readonly #needs: { url: string; clock: Clock; log: Log }
  readonly #asked = new Set<Asked>()
  #cancel: Cancel | undefined
  #isAway = false
  #isTaking = false
  #isClosed = false
  #quietTurns = 0
  onSilence: () => void = () => {}

  constructor(needs: { url: string; clock: Clock; log: Log }) {
    this.#needs = needs
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /**
   * Waits for `work`.
   *
   * @param giveUp - Ends `work`. Called after `limitMs`, or when the database turns out to be silent.
   * @throws {DatastoreAway} at once while the database is known to be silent.
   */
  async during<T>(limitMs: number, giveUp: () => void, work: () => Promise<T>): Promise<T> {
    if (this.#isAway) throw new DatastoreAway('The database does not respond')
    const asked = { turns: 0, limitTurns: Math.ceil(limitMs / turnMs), giveUp }
    this.#asked.add(asked)
    this.#count()
    try {
      const result = await work()
      this.#quietTurns = 0
      return result
    } catch (error) {
      if (!isDatastoreOutage(error)) this.#quietTurns = 0
      throw error
    } finally {
      this.#asked.delete(asked)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  #count(): void {
    if (this.#cancel || this.#isClosed) return
    this.#cancel = this.#needs.clock.after(turnMs, () => {
      this.#cancel = undefined
      if (this.#asked.size === 0) return
      this.#turn()
      this.#count()
    })
  }

  #turn(): void {
    this.#quietTurns++
    let longest = 0
    for (const asked of [...this.#asked]) {
      asked.turns++
      longest = Math.max(longest, asked.turns)
      if (asked.turns === asked.limitTurns) asked.giveUp()
    }
    const isLong = longest >= patienceTurns && this.#quietTurns >= patienceTurns
    if (isLong && !this.#isTaking && !this.#isAway) this.#take().catch(() => {})
  }

  async #take(): Promise<void> {
    this.#isTaking = true
    try {
      if (await this.#isThere()) {
        this.#quietTurns = 0
        return
      }
      this.#isAway = true
      this.#needs.log.error('the database does not respond; its connections are closed')
      for (const { giveUp } of [...this.#asked]) giveUp()
      this.onSilence()
      while (!this.#isClosed) {
        await this.#turns(pauseTurns)
        if (await this.#isThere()) break
      }
      this.#isAway = false
      if (!this.#isClosed) this.#needs.log.info('the database responds again')
    } finally {
      this.#isTaking = false
    }
  }

  async #isThere(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#needs.url, application_name: 'sluice-pulse' })
    const hangUp = () => socketOf(client).destroy()
    client.on('error', () => {})
    let isOver = false
    const limit = this.#turns(healthCheckTurns, () => isOver).then(() => {
      if (!isOver) hangUp()
    })
    try {
      await client.connect()
      return true
    } catch (error) {
      // An error from PostgreSQL itself, such as a full server, proves that PostgreSQL responds.
      if (!(error instanceof pg.DatabaseError)) return false
      return error.code === tooManyConnections || !isDatastoreOutage(asOutage(error))
    } finally {
      isOver = true
      await limit
      hangUp()
    }
  }

  #turns(count: number, isOver: () => boolean = () => this.#isClosed): Promise<void> {
    return new Promise((resolve) => {
      const next = (left: number) => {
        if (left === 0 || isOver()) resolve()
        else this.#needs.clock.after(turnMs, () => next(left - 1))
      }
      next(count)
    })
  }
}

/** Returns the socket, to close a connection whose server would not respond to a regular close. */
export function socketOf(client: pg.ClientBase): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}

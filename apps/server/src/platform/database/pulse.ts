import pg from 'pg'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import { asOutage, DatastoreAway, isDatastoreOutage } from './degraded.ts'

/**
 * Time is counted in turns of a timer, not read from a clock: a process that was frozen or kept busy finds its answers
 * in its sockets before it has counted on, and a clock that is set means nothing.
 */
const turnMs = 125
/** How long something is waited for before PostgreSQL is asked whether it is there at all. */
const patienceTurns = 6
/** How long it has to say so: with the patience two seconds (decisions: Degraded mode). */
const pulseTurns = 8
/** Between two looks whether it is back. */
const pauseTurns = 4

const tooManyConnections = '53300'

/** Something asked of PostgreSQL that is under way. */
type Asked = {
  turns: number
  readonly limitTurns: number
  readonly giveUp: () => void
}

/**
 * Tells a database that does not answer from a statement that takes its time.
 *
 * A machine that is frozen or cut off closes no connection: whoever asked would wait for minutes. So when something is
 * under way for long, a connection of its own is tried; where that gets no answer either, everything under way is
 * given up, and whatever is asked next fails at once, until a connection succeeds again.
 */
export class DatabasePulse {
  readonly #needs: { url: string; clock: Clock; log: Log }
  readonly #asked = new Set<Asked>()
  #cancel: Cancel | undefined
  #isAway = false
  #isTaking = false
  #isClosed = false
  /** Turns since PostgreSQL was last heard of. */
  #quietTurns = 0
  /** Called when it is found silent. */
  onSilence: () => void = () => {}

  constructor(needs: { url: string; clock: Clock; log: Log }) {
    this.#needs = needs
  }

  /** Whether it is known not to answer. */
  get isAway(): boolean {
    return this.#isAway
  }

  /**
   * Waits for `work`.
   *
   * @param giveUp - Ends `work`: called after `limitMs`, or when the database is found silent.
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

  /** Looks no more. */
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

  /** Whether a connection of its own comes about. */
  async #isThere(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#needs.url, application_name: 'sluice-pulse' })
    const hangUp = () => socketOf(client).destroy()
    client.on('error', () => {})
    let isOver = false
    const limit = this.#turns(pulseTurns, () => isOver).then(() => {
      if (!isOver) hangUp()
    })
    try {
      await client.connect()
      return true
    } catch (error) {
      // One that is full, or refuses us, is there and says so.
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

/** The socket of a connection: to end it without a word, since a server that is silent would not take leave. */
export function socketOf(client: pg.ClientBase): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}

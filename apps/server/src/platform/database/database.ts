import pg from 'pg'
import { type Clock, systemClock, wait } from '../../kernel/clock.ts'
import { type Random, randomFraction, systemRandom } from '../../kernel/random.ts'
import { Changes, changeChannel, changedWord, endedChanges } from '../cache/changes.ts'
import type { Log } from '../log.ts'
import { type SqlValue, valueTypes } from './columns.ts'
import { Connection, type QueryResult, type Reported } from './connection.ts'
import { asOutage, DatastoreAway, isDatastoreOutage, isRetryable, RefusedWrites } from './degraded.ts'
import { HealthMonitor, socketOf } from './health-monitor.ts'
import { afterCommit, insideTransaction } from './inside-transaction.ts'
import { graceMs, limitSession } from './limits.ts'
import { VisitorShare } from './sharing/visitors.ts'
import { type Statement, statement } from './statement.ts'

const retryWithinMs = 20
const connectLimitMs = 5_000
/**
 * Milliseconds until keep-alive starts. The operating system's default of two hours would keep connections to
 * a lost host in the pool.
 */
const keepAliveAfterMs = 10_000
/** Opening a connection is expensive, so the connections of a burst are kept for the next one. */
const idleMs = 60_000
const leaveLimitMs = 1_000

/**
 * PostgreSQL as the modules see it. Inside `transaction`, the same interface uses one connection.
 *
 * Deadlocks and serialization failures are retried: inside a transaction, the whole transaction; otherwise,
 * the statement. `int8` and `numeric` are read as `bigint`; every `numeric` column has scale 0.
 */
export interface Database {
  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]>
  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>
  run(statement: Statement, values?: readonly SqlValue[]): Promise<number>
  /**
   * Runs `work` in one transaction. A nested call joins the outer transaction.
   *
   * After a serialization failure, a deadlock or an idle-transaction timeout, `work` runs again, at most five
   * times. Therefore `work` must leave no trace outside the database.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
}

export class Pool implements Database {
  /** Reports committed changes of this pool. Other processes are notified. */
  readonly changes = new Changes()
  readonly refusedWrites: RefusedWrites
  readonly #pool: pg.Pool
  readonly #healthMonitor: HealthMonitor
  readonly #clients = new Set<pg.PoolClient>()
  readonly #lastWords = new WeakMap<pg.PoolClient, Error>()
  readonly #clock: Clock
  readonly #random: Random
  readonly #visitors = new VisitorShare(
    () => new DatastoreAway('Too many requests are waiting for the database'),
  )

  constructor(options: { url: string; max?: number; log: Log; clock?: Clock; random?: Random }) {
    const { url, log } = options
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.refusedWrites = new RefusedWrites(this.#clock)
    this.#healthMonitor = new HealthMonitor({ url, clock: systemClock, log })
    this.#pool = new pg.Pool({
      connectionString: url,
      max: options.max ?? 10,
      types: valueTypes as pg.CustomTypesConfig,
      connectionTimeoutMillis: connectLimitMs,
      idleTimeoutMillis: idleMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      application_name: 'sluice',
      onConnect: (client) => limitSession(client, connectLimitMs),
    })
    this.#pool.on('connect', (client) => {
      this.#clients.add(client)
      // A connection that breaks inside a transaction emits this error, which would end the process if
      // unhandled. The current or next statement fails with the reason.
      client.on('error', (error) => {
        // The following error only reports that the connection is closed.
        if (!this.#lastWords.has(client)) this.#lastWords.set(client, error)
      })
    })
    this.#pool.on('remove', (client) => this.#clients.delete(client))
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending && !this.#healthMonitor.isAway)
        log.warn({ err: error }, 'an idle database connection failed')
    })
    // Otherwise each connection to a lost host would be tried in turn.
    this.#healthMonitor.onSilence = () => {
      this.#dropConnections()
      this.changes.fallSilent()
    }
  }

  async rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return (await this.#query<Row>(statement, values)).rows
  }

  async row<Row extends object>(
    statement: Statement<Row>,
    values?: readonly SqlValue[],
  ): Promise<Row | undefined> {
    return (await this.#query<Row>(statement, values)).rows[0]
  }

  async run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return (await this.#query(statement, values)).count
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#visitors.run(() => this.#untilInOrder(() => this.#once(work)))
  }

  async close(): Promise<void> {
    const cancel = systemClock.after(leaveLimitMs, () => this.#dropConnections())
    await this.#pool.end().finally(cancel)
    this.#healthMonitor.close()
  }

  /** Retries a deadlock: even a single statement over many rows or nodes can encounter one. */
  #query<Row extends object>(
    statement: Statement<Row>,
    values: readonly SqlValue[] | undefined,
  ): Promise<QueryResult<Row>> {
    const run = () =>
      this.#untilInOrder(() =>
        // Only a transaction can set another limit, and notify ended credentials as part of its commit.
        statement.limitMs === undefined && !statement.ends?.length
          ? this.#alone(statement, values)
          : this.#once((_, connection) => connection.query<Row>(statement, values)),
      )
    return this.#visitors.run(run)
  }

  async #untilInOrder<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (attempt >= 5 || !isRetryable(error)) throw error
        await wait(this.#clock, randomFraction(this.#random) * retryWithinMs * attempt)
      }
    }
  }

  async #alone<Row extends object>(
    statement: Statement<Row>,
    values: readonly SqlValue[] | undefined,
  ): Promise<QueryResult<Row>> {
    const client = await this.#connect()
    let broken: Error | undefined
    try {
      const connection = this.#connectionOf(client, (reported) => this.#notify(reported))
      return await connection.query<Row>(statement, values)
    } catch (error) {
      if (isDatastoreOutage(error)) broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #once<T>(work: (tx: Database, connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const connection = this.#connectionOf(client, (reported) => afterCommit(() => this.#notify(reported)))
    let broken: Error | undefined
    try {
      await connection.say('BEGIN')
      return await insideTransaction(
        () => work(new Transaction(connection), connection),
        () => connection.say('COMMIT'),
      )
    } catch (error) {
      // No ROLLBACK: on a connection that encountered an outage, it would wait for the same frozen host.
      if (isDatastoreOutage(error)) broken = error as Error
      else
        await connection.say('ROLLBACK').catch((rollbackError: Error) => {
          broken = rollbackError
        })
      // The next statement learns only that the connection is closed, not why.
      const lastWords = this.#lastWords.get(client)
      throw lastWords && isDatastoreOutage(error) ? asOutage(lastWords) : error
    } finally {
      client.release(broken)
    }
  }

  #connectionOf(client: pg.PoolClient, reported: (reported: Reported) => void): Connection {
    return new Connection(client, this.#healthMonitor, {
      reported,
      failed: (error) => this.refusedWrites.note(error),
    })
  }

  async #connect(): Promise<pg.PoolClient> {
    let giveUp = () => {}
    const given = new Promise<never>((_, reject) => {
      giveUp = () => reject(new DatastoreAway('No database connection was available in time'))
    })
    return this.#healthMonitor.during(
      connectLimitMs + graceMs,
      () => giveUp(),
      async () => {
        let isLate = false
        const coming = this.#pool.connect()
        coming.then(
          (client) => isLate && client.release(),
          () => {},
        )
        try {
          return await Promise.race([coming, given])
        } catch (error) {
          isLate = true
          throw asOutage(error)
        }
      },
    )
  }

  #notify({ dropsCache, ended }: Reported): void {
    for (const message of endedChanges(ended)) this.changes.notify(message)
    if (!dropsCache) return
    this.changes.notify(changedWord)
    // If this notification is lost, the caches of other processes still expire at their maximum age.
    this.run(notifyChange({ channel: changeChannel, message: changedWord })).catch(() => {})
  }

  #dropConnections(): void {
    for (const client of this.#clients) socketOf(client).destroy()
  }
}

class Transaction implements Database {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return (await this.#connection.query<Row>(statement, values)).rows
  }

  async row<Row extends object>(
    statement: Statement<Row>,
    values?: readonly SqlValue[],
  ): Promise<Row | undefined> {
    return (await this.#connection.query<Row>(statement, values)).rows[0]
  }

  async run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return (await this.#connection.query(statement, values)).count
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return work(this)
  }
}

const notifyChange = statement({ name: 'notify-change', text: 'SELECT pg_notify(:channel, :message)' })

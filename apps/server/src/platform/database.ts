import pg from 'pg'
import { type Clock, systemClock, wait } from '../kernel/clock.ts'
import { type Random, randomFraction, systemRandom } from '../kernel/random.ts'
import type { Log } from './log.ts'

const retryWithinMs = 20

/** A statement and the name it is prepared under, unique in the whole server. */
export type Statement = { readonly name: string; readonly text: string }

/** Values that `pg` writes as they are meant: bigint and numbers, texts, booleans, arrays, JSON texts, null. */
export type SqlValue = string | number | bigint | boolean | null | readonly SqlValue[] | Uint8Array

/**
 * PostgreSQL as the modules see it. Inside `transaction` the same interface works on one connection.
 *
 * `int8` and `numeric` come back as `bigint`; every `numeric` column of ours has scale 0.
 */
export interface Database {
  rows<Row extends object>(statement: Statement, values?: readonly SqlValue[]): Promise<Row[]>
  row<Row extends object>(statement: Statement, values?: readonly SqlValue[]): Promise<Row | undefined>
  /** How many rows the statement touched. */
  run(statement: Statement, values?: readonly SqlValue[]): Promise<number>
  /**
   * Runs `work` in one transaction: all of it or nothing.
   *
   * A serialization failure or deadlock runs it again, at most five times, so `work` must
   * leave no trace outside the database. Inside a transaction it joins that one.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
}

const bigintArrays = [1016, 1231] // int8[] and numeric[], which pg would turn into texts and floats
const textArray = 1009

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return BigInt
    if (bigintArrays.includes(oid)) return parseBigints
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

function parseBigints(text: string): (bigint | null)[] {
  const parts = pg.types.getTypeParser(textArray as number, 'text')(text) as (string | null)[]
  return parts.map((part) => (part === null ? null : BigInt(part)))
}

/** The pool of connections to one PostgreSQL. */
export class Pool implements Database {
  readonly #pool: pg.Pool
  readonly #clock: Clock
  readonly #random: Random

  constructor(options: { url: string; max?: number; log: Log; clock?: Clock; random?: Random }) {
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max ?? 10,
      types: types as pg.CustomTypesConfig,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'sluice',
    })
    // A connection that breaks while a transaction has it tells so here too; unheard, that would end the process.
    // The statement under way, or the next one, fails with the reason.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) options.log.warn({ err: error }, 'an idle database connection broke')
    })
  }

  rows<Row extends object>(statement: Statement, values: readonly SqlValue[] = []): Promise<Row[]> {
    return query<Row>(this.#pool, statement, values).then((result) => result.rows)
  }

  row<Row extends object>(statement: Statement, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return query<Row>(this.#pool, statement, values).then((result) => result.rows[0])
  }

  run(statement: Statement, values: readonly SqlValue[] = []): Promise<number> {
    return query(this.#pool, statement, values).then((result) => result.rowCount ?? 0)
  }

  async transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work)
      } catch (error) {
        if (attempt >= 5 || !isRetryable(error)) throw error
        await wait(this.#clock, randomFraction(this.#random) * retryWithinMs * attempt)
      }
    }
  }

  async #once<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      await client.query('BEGIN')
      const result = await work(new Transaction(client))
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch((rollbackError: Error) => {
        broken = rollbackError
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

class Transaction implements Database {
  readonly #client: pg.PoolClient

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  rows<Row extends object>(statement: Statement, values: readonly SqlValue[] = []): Promise<Row[]> {
    return query<Row>(this.#client, statement, values).then((result) => result.rows)
  }

  row<Row extends object>(statement: Statement, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return query<Row>(this.#client, statement, values).then((result) => result.rows[0])
  }

  run(statement: Statement, values: readonly SqlValue[] = []): Promise<number> {
    return query(this.#client, statement, values).then((result) => result.rowCount ?? 0)
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return work(this)
  }
}

function query<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly SqlValue[],
): Promise<pg.QueryResult<Row>> {
  return on.query<Row>({ name: statement.name, text: statement.text, values: values as unknown[] })
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return code === '40001' || code === '40P01'
}

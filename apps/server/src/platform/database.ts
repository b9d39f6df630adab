import pg from 'pg'
import type { Log } from './log.ts'

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

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return BigInt
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/** The pool of connections to one PostgreSQL. */
export class Pool implements Database {
  readonly #pool: pg.Pool

  constructor(options: { url: string; max?: number; log: Log }) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max ?? 10,
      types: types as pg.CustomTypesConfig,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'sluice',
    })
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

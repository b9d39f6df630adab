import type { SqlValue } from '../database/columns.ts'
import type { Database, Pool } from '../database/database.ts'
import { isDatastoreOutage, isRetryable } from '../database/degraded.ts'
import type { Statement } from '../database/statement.ts'

const isRead =
  /^\s*(?:SELECT|WITH)\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|MERGE|FOR\s+SHARE|pg_notify|nextval)\b)/

/**
 * The reads of one request, on a replica that has come far enough for it.
 *
 * What writes or locks is done on the primary, and all that follows: it is to see what was written. A read that the
 * replica fails at, because it is gone or because what it reads was just cleaned up on the primary, is made there too.
 */
export class ReplicaReads implements Database {
  readonly #primary: Database
  readonly #replica: Pool
  readonly #failed: (error: unknown) => void
  #isOnPrimary = false

  /** @param failed - Told when the replica is gone. */
  constructor(primary: Database, replica: Pool, failed: (error: unknown) => void) {
    this.#primary = primary
    this.#replica = replica
    this.#failed = failed
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#on(statement, (db) => db.rows<Row>(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#on(statement, (db) => db.row<Row>(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#on(statement, (db) => db.run(statement, values))
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    this.#isOnPrimary = true
    return this.#primary.transaction(work)
  }

  async #on<T>({ text }: Statement, ask: (db: Database) => Promise<T>): Promise<T> {
    if (!isRead.test(text)) this.#isOnPrimary = true
    if (this.#isOnPrimary) return ask(this.#primary)
    try {
      return await ask(this.#replica)
    } catch (error) {
      const isGone = isDatastoreOutage(error)
      if (!isGone && !isRetryable(error)) throw error
      if (isGone) this.#failed(error)
      this.#isOnPrimary = true
      return ask(this.#primary)
    }
  }
}

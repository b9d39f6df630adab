import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqlValue } from '../columns.ts'
import type { Database } from '../database.ts'
import { markAfterCommit } from '../inside-transaction.ts'
import type { Statement } from '../statement.ts'

/**
 * Database whose statements join the transaction in which they are called, at any depth.
 *
 * For requests that must commit together with a row that their handlers do not know of. Jobs use the plain
 * pool, because their work must not join the transaction that happened to wake them.
 */
export class JoiningDatabase implements Database {
  readonly #db: Database
  readonly #joined = new AsyncLocalStorage<Joined>()

  constructor(db: Database) {
    this.#db = db
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#current().rows<Row>(statement, values)
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#current().row<Row>(statement, values)
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#current().run(statement, values)
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#current().transaction(work)
  }

  /** Runs `work` in one transaction, which all its calls through this database join. */
  together<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#current().transaction(async (tx) => {
      const joined = new Joined(tx, this.#joined, this.#joined.getStore())
      try {
        return await this.#joined.run(joined, () => work(joined))
      } finally {
        joined.isOpen = false
      }
    })
  }

  /** A call that outlives its transaction runs alone. */
  #current(): Database {
    let joined = this.#joined.getStore()
    while (joined && !joined.isOpen) joined = joined.parent
    return joined ?? this.#db
  }
}

const savepoint = { name: 'joined-savepoint', text: 'SAVEPOINT joined' }
const release = { name: 'joined-release', text: 'RELEASE SAVEPOINT joined' }
const rollBack = { name: 'joined-roll-back', text: 'ROLLBACK TO SAVEPOINT joined' }

/**
 * Makes a transaction safe for concurrent use: runs statements in sequence, inner transactions as savepoints.
 */
class Joined implements Database {
  isOpen = true
  readonly parent: Joined | undefined
  readonly #tx: Database
  readonly #storage: AsyncLocalStorage<Joined>
  #last: Promise<unknown> = Promise.resolve()

  constructor(tx: Database, storage: AsyncLocalStorage<Joined>, parent: Joined | undefined) {
    this.parent = parent
    this.#tx = tx
    this.#storage = storage
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#next(() => this.#tx.rows<Row>(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#next(() => this.#tx.row<Row>(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#next(() => this.#tx.run(statement, values))
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#next(async () => {
      await this.#tx.run(savepoint)
      const inner = new Joined(this.#tx, this.#storage, this)
      const dropWords = markAfterCommit()
      try {
        const result = await this.#storage.run(inner, () => work(inner))
        await this.#tx.run(release)
        return result
      } catch (error) {
        // If the rollback also fails, the connection is lost, and the first error is more informative.
        await this.#undo().catch(() => {})
        dropWords()
        throw error
      } finally {
        inner.isOpen = false
      }
    })
  }

  /**
   * Also releases the savepoint: `ROLLBACK TO` keeps it, and a later rollback to the same name would find it.
   */
  async #undo(): Promise<void> {
    await this.#tx.run(rollBack)
    await this.#tx.run(release)
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}

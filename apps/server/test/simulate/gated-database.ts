import type { SqlValue } from '../../src/platform/database/columns.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { DatastoreAway } from '../../src/platform/database/degraded.ts'
import type { Statement } from '../../src/platform/database/statement.ts'
import type { Scheduler } from './scheduler.ts'

/** What the simulation does with each statement. */
export type StatementHooks = {
  readonly scheduler: Scheduler
  /** Receives each statement with its values, and `begin`, `commit` and `rollback`. */
  record(text: string, values: readonly SqlValue[]): void
  /** Called where code learns of its commit. Throws if the response is lost, or if the process is killed. */
  leave(texts: readonly string[]): void
  /** Called after each commit, with the texts of its statements. */
  committed(texts: readonly string[]): Promise<void>
}

/** Open transactions of all replicas. Only they can block a statement. */
const lockLimit = { name: '', text: "SET LOCAL lock_timeout = '20ms'" }
const mark = { name: '', text: 'SAVEPOINT gate' }
const goBack = { name: '', text: 'ROLLBACK TO SAVEPOINT gate' }

/**
 * A database with a gate before each statement, before each commit and after it.
 *
 * A statement that waits for a row of another open transaction goes back to its gate instead, because the
 * other transaction needs its turn first.
 */
export class GatedDatabase implements Database {
  readonly #db: Database
  readonly #hooks: StatementHooks
  readonly #open: Set<object>

  /** @param open - Open transactions, shared by the databases of all replicas. */
  constructor(db: Database, hooks: StatementHooks, open: Set<object>) {
    this.#db = db
    this.#hooks = hooks
    this.#open = open
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#alone(statement, values, (db) => db.rows(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#alone(statement, values, (db) => db.row(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#alone(statement, values, (db) => db.run(statement, values))
  }

  async transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    const { scheduler } = this.#hooks
    await scheduler.pass('begin')
    const own = {}
    const texts: string[] = []
    let done = scheduler.begin()
    try {
      const result = await this.#db.transaction(async (tx) => {
        texts.length = 0
        this.#open.add(own)
        done()
        try {
          const hooks = { ...this.#hooks, record: this.#collector(texts) }
          const hasRivals = () => this.#open.size > 1
          const value = await work(new GatedTransaction(tx, hooks, hasRivals))
          await scheduler.pass('commit', { isInside: true })
          return value
        } finally {
          done = scheduler.begin()
          this.#open.delete(own)
        }
      })
      this.#hooks.record('commit', [])
      await this.#hooks.committed(texts)
      done()
      await this.#leave(texts)
      return result
    } catch (error) {
      done()
      throw error
    }
  }

  async #alone<T>(
    { text, name, values: own = [] }: Statement,
    values: readonly SqlValue[] = own,
    run: (db: Database) => Promise<T>,
  ): Promise<T> {
    const { scheduler, record, committed } = this.#hooks
    const result = await throughGate({ scheduler, what: name || text, isInside: false }, async () => {
      if (this.#open.size === 0) return run(this.#db)
      return this.#db.transaction(async (tx) => {
        await tx.run(lockLimit)
        return run(tx)
      })
    })
    record(text, values)
    const done = scheduler.begin()
    await committed([text]).finally(done)
    if (isWrite(text)) await this.#leave([text])
    return result
  }

  /** The moment between a commit and the code that relies on it. */
  async #leave(texts: readonly string[]): Promise<void> {
    await this.#hooks.scheduler.pass('committed')
    this.#hooks.leave(texts)
  }

  #collector(texts: string[]): StatementHooks['record'] {
    return (text, values) => {
      texts.push(text)
      this.#hooks.record(text, values)
    }
  }
}

class GatedTransaction implements Database {
  readonly #tx: Database
  readonly #hooks: StatementHooks
  readonly #hasRivals: () => boolean

  constructor(tx: Database, hooks: StatementHooks, hasRivals: () => boolean) {
    this.#tx = tx
    this.#hooks = hooks
    this.#hasRivals = hasRivals
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#inTurn(statement, values, () => this.#tx.rows(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#inTurn(statement, values, () => this.#tx.row(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#inTurn(statement, values, () => this.#tx.run(statement, values))
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return work(this)
  }

  async #inTurn<T>(
    { name, text, values: own = [] }: Statement,
    values: readonly SqlValue[] = own,
    run: () => Promise<T>,
  ): Promise<T> {
    const { scheduler } = this.#hooks
    const result = await throughGate({ scheduler, what: name || text, isInside: true }, async () => {
      // Savepoints of the service come in pairs, so none is put between them.
      if (!this.#hasRivals() || /SAVEPOINT/.test(text)) return run()
      await this.#tx.run(lockLimit)
      await this.#tx.run(mark)
      try {
        return await run()
      } catch (error) {
        if (isLockTimeout(error)) await this.#tx.run(goBack)
        throw error
      }
    })
    this.#hooks.record(text, values)
    return result
  }
}

/** Runs work when its turn comes, and again while a lock of another transaction is in its way. */
async function throughGate<T>(
  { scheduler, what, isInside }: { scheduler: Scheduler; what: string; isInside: boolean },
  work: () => Promise<T>,
): Promise<T> {
  for (let isBlocked = false; ; isBlocked = true) {
    await scheduler.pass(what, { isBlocked, isInside })
    const done = scheduler.begin()
    try {
      return await work()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    } finally {
      done()
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof DatastoreAway ? error.cause : error
  return (cause as { code?: unknown } | undefined)?.code === '55P03'
}

export function isWrite(text: string): boolean {
  return /\b(INSERT|UPDATE|DELETE)\b/.test(text)
}

import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { merchantOf, type Statement } from '../database/statement.ts'
import { globalTables } from './global-tables.ts'
import { machineAway, type Places } from './places.ts'

/**
 * The database as requests are given it. While the machine of a merchant is away, what asks for rows of that merchant fails
 * at once and without a statement: each would hold a connection until its time is over, and those of all merchants with it.
 * An outage has somebody look which machines are away; nobody waits for that.
 */
export class PlacedDatabase implements Database {
  readonly #db: Database
  readonly #places: Places

  constructor(db: Database, places: Places) {
    this.#db = db
    this.#places = places
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#ask(statement, values, () => this.#db.rows(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#ask(statement, values, () => this.#db.row(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#ask(statement, values, () => this.#db.run(statement, values))
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#watch(this.#db.transaction((tx) => work(new PlacedDatabase(tx, this.#places))))
  }

  #ask<T>(statement: Statement, values: readonly SqlValue[] | undefined, ask: () => Promise<T>): Promise<T> {
    if (!this.#places.isAnyAway()) return this.#watch(ask())
    return this.#watch(this.#unlessAway(statement, values, ask))
  }

  async #unlessAway<T>(
    statement: Statement,
    values: readonly SqlValue[] | undefined,
    ask: () => Promise<T>,
  ): Promise<T> {
    const merchant = merchantOf(statement, values ?? statement.values)
    const isOfPlace = merchant !== undefined && !isGlobal(statement.name, statement.text)
    if (isOfPlace && (await this.#places.awayOf([merchant])).has(merchant)) throw machineAway()
    return ask()
  }

  #watch<T>(asked: Promise<T>): Promise<T> {
    asked.catch((error) => this.#places.suspect(error))
    return asked
  }
}

const tables = /\b(?:FROM|INTO|UPDATE|JOIN|USING)\s+(\w+)/gi
const known = new Map<string, boolean>()

/** Whether a statement touches what belongs to no merchant alone, which no machine of merchants is asked for. */
function isGlobal(name: string, text: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const touched = [...text.matchAll(tables)].map(([, table = '']) => table)
  const are = touched.length > 0 && touched.every((table) => globalTables.has(table))
  known.set(name, are)
  return are
}

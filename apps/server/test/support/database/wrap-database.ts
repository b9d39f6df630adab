import type { SqlValue } from '../../../src/platform/database/columns.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Statement } from '../../../src/platform/database/statement.ts'

/** Runs in place of each statement. May run the statement, even on another database. */
export type AtStatement = <T>(statement: Statement, run: (on?: Database) => Promise<T>) => Promise<T>

export function wrapDatabase(db: Database, at: AtStatement): Database {
  return {
    rows: <Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]) =>
      at(statement, (on = db) => on.rows(statement, values)),
    row: <Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]) =>
      at(statement, (on = db) => on.row(statement, values)),
    run: (statement, values) => at(statement, (on = db) => on.run(statement, values)),
    transaction: (work) => db.transaction((tx) => work(wrapDatabase(tx, at))),
  }
}

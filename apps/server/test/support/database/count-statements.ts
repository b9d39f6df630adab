import type { Database } from '../../../src/platform/database/database.ts'

/** A database that counts its statements by name, those in transactions included. */
export function countStatements(db: Database): {
  db: Database
  byName: Map<string, number>
  total(): number
} {
  const byName = new Map<string, number>()
  const wrap = (on: Database): Database => {
    const noted = <S extends { readonly name: string }>(statement: S): S => {
      byName.set(statement.name, (byName.get(statement.name) ?? 0) + 1)
      return statement
    }
    return {
      rows: (statement, values) => on.rows(noted(statement), values),
      row: (statement, values) => on.row(noted(statement), values),
      run: (statement, values) => on.run(noted(statement), values),
      transaction: (work) => on.transaction((tx) => work(wrap(tx))),
    }
  }
  return { db: wrap(db), byName, total: () => [...byName.values()].reduce((sum, each) => sum + each, 0) }
}

import type { SqlValue } from './database.ts'

/** Rows of values as the arrays that `unnest` makes rows of again, so that many rows are one statement. */
export function toColumns(rows: readonly (readonly SqlValue[])[]): SqlValue[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null))
}

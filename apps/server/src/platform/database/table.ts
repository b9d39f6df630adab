import {
  type Column,
  emptyAsNull,
  gather,
  group,
  json,
  type Part,
  type Parts,
  type PlacedColumn,
} from './columns.ts'

/** A table and the entity its rows stand for. */
export type Table<T extends object> = Part<T> & {
  readonly name: string
  readonly parts: Parts<T>
  readonly columns: readonly PlacedColumn[]
}

/**
 * Says once how an entity is stored: which columns, of what type, for which property. Inserts, updates and the
 * reading of rows follow from it.
 */
export function table<T extends object>(name: string, parts: Parts<T>): Table<T> {
  const whole = group(parts)
  const columns = gather(parts, '').columns
  return { name, parts, columns, at: whole.at }
}

/** The columns of a `SELECT` or a `RETURNING`: `merchant, id, total_cents`. */
export function columnsOf<T extends object>({ columns }: Table<T>, alias?: string): string {
  return columns.map(({ name }) => (alias ? `${alias}.${name}` : name)).join(', ')
}

type NamesIn<Property> = Property extends string ? `:${Property} ` : never

/** What an `INSERT` of one entity says after the table: its columns and `VALUES` with its properties. */
export function valuesOf<T extends object>(table: Table<T>): NamesIn<keyof T> {
  return `(${columnsOf(table)}) VALUES (${placesOf(table)})` as NamesIn<keyof T>
}

/** The properties of an entity in the order of {@link columnsOf}: `:merchant, :id, :totalCents`. */
export function placesOf<T extends object>({ columns }: Table<T>): NamesIn<keyof T> {
  return columns.map(({ path }) => `:${path}`).join(', ') as NamesIn<keyof T>
}

/** The rows of `each`, for `FROM`: its columns are those of {@link columnsOf}, in the same order. */
export function eachOf<T extends object>({ columns }: Table<T>): `:each.${keyof T & string} ` {
  const lists = columns.map(({ path, type }) => `:each.${path}::${type}[]`)
  return `unnest(${lists.join(', ')})` as `:each.${keyof T & string} `
}

/** What an `UPDATE` says after `SET`, for some properties of an entity. */
export function assign<T extends object, Property extends keyof T & string>(
  { columns }: Table<T>,
  properties: readonly Property[],
): NamesIn<Property> {
  const wanted: readonly string[] = properties
  return assignments(columns.filter(({ path }) => wanted.includes(headOf(path)))) as NamesIn<Property>
}

/** As {@link assign}, for all but some properties: what is added to the entity is then saved too. */
export function assignAllBut<T extends object, Property extends keyof T & string>(
  { columns }: Table<T>,
  properties: readonly Property[],
): NamesIn<Exclude<keyof T, Property>> {
  const kept: readonly string[] = properties
  const others = columns.filter(({ path }) => !kept.includes(headOf(path)))
  return assignments(others) as NamesIn<Exclude<keyof T, Property>>
}

function assignments(columns: readonly PlacedColumn[]): string {
  return columns.map(({ name, path }) => `${name} = :${path}`).join(', ')
}

function headOf(path: string): string {
  return path.split('.')[0] ?? path
}

/**
 * Rows of a table as one column of another row, for {@link nested} to read: what follows `SELECT …`, in its order. A
 * request that shows many lists then asks once.
 */
export function nestedRows<T extends object>({ columns }: Table<T>, rest: string): string {
  const values = columns.map(({ name, type }) => (isBigint(type) ? `${name}::text` : name))
  return `(SELECT json_agg(entry) FROM (SELECT json_build_array(${values.join(', ')}) AS entry ${rest}) AS nested)`
}

/** A column of {@link nestedRows}. Whole numbers come as texts, since JSON numbers would lose digits. */
export function nested<T extends object>({ parts, columns }: Table<T>): Column<readonly T[]> {
  const readRow = gather(parts, '').reader((column) => columns.findIndex(({ name }) => name === column))
  const isLarge = columns.map(({ type }) => isBigint(type))
  const asStored = (value: unknown, i: number) =>
    isLarge[i] && value !== null ? BigInt(value as string) : value
  const rows = json<readonly T[], unknown[][]>({
    read: (stored) => stored.map((row) => readRow(row.map(asStored))),
    write() {
      throw new Error('what is nested is never written')
    },
  })
  return emptyAsNull(rows)
}

function isBigint(type: string): boolean {
  return type === 'int8' || type === 'numeric'
}

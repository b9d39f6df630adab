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

export type Table<T extends object> = Part<T> & {
  readonly name: string
  readonly parts: Parts<T>
  readonly columns: readonly PlacedColumn[]
}

/**
 * Declares once how an entity is stored: the columns and types of its properties.
 *
 * Inserts, updates and reads are derived from it.
 */
export function table<T extends object>(name: string, parts: Parts<T>): Table<T> {
  const whole = group(parts)
  const columns = gather(parts, '').columns
  return { name, parts, columns, at: whole.at }
}

/** Returns the columns of a `SELECT` or a `RETURNING`: `merchant, id, total_cents`. */
export function columnsOf<T extends object>({ columns }: Table<T>, alias?: string): string {
  return columns.map(({ name }) => (alias ? `${alias}.${name}` : name)).join(', ')
}

type NamesIn<Property> = Property extends string ? `:${Property} ` : never

/** Returns the part of an `INSERT` after the table: its columns, and `VALUES` with the properties. */
export function valuesOf<T extends object>(table: Table<T>): NamesIn<keyof T> {
  return `(${columnsOf(table)}) VALUES (${placesOf(table)})` as NamesIn<keyof T>
}

/** Returns the properties of an entity in the order of {@link columnsOf}: `:merchant, :id, :totalCents`. */
export function placesOf<T extends object>({ columns }: Table<T>): NamesIn<keyof T> {
  return columns.map(({ path }) => `:${path}`).join(', ') as NamesIn<keyof T>
}

export function eachOf<T extends object>({ columns }: Table<T>): `:each.${keyof T & string} ` {
  const lists = columns.map(({ path, type }) => `:each.${path}::${type}[]`)
  return `unnest(${lists.join(', ')})` as `:each.${keyof T & string} `
}

export function assign<T extends object, Property extends keyof T & string>(
  { columns }: Table<T>,
  properties: readonly Property[],
): NamesIn<Property> {
  const wanted: readonly string[] = properties
  return assignments(columns.filter(({ path }) => wanted.includes(headOf(path)))) as NamesIn<Property>
}

/** Returns assignments for all but some properties, so that a property added later is saved too. */
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
 * Returns a subquery that returns rows as one column for {@link nested}, so that one query can return many
 * lists.
 *
 * @param rest - Part of the subquery after `SELECT …`; its order is kept.
 */
export function nestedRows<T extends object>({ columns }: Table<T>, rest: string): string {
  const values = columns.map(({ name, type }) => (isBigint(type) ? `${name}::text` : name))
  return `(SELECT json_agg(entry) FROM (SELECT json_build_array(${values.join(', ')}) AS entry ${rest}) AS nested)`
}

/** Column of {@link nestedRows}. Bigints are read from text, because JSON numbers would lose digits. */
export function nested<T extends object>({ parts, columns }: Table<T>): Column<readonly T[]> {
  const readRow = gather(parts, '').reader((column) => columns.findIndex(({ name }) => name === column))
  const isLarge = columns.map(({ type }) => isBigint(type))
  const asStored = (value: unknown, i: number) =>
    isLarge[i] && value !== null ? BigInt(value as string) : value
  const rows = json<readonly T[], unknown[][]>({
    read: (stored) => stored.map((row) => readRow(row.map(asStored))),
    write() {
      throw new Error('nested columns are never written')
    },
  })
  return emptyAsNull(rows)
}

function isBigint(type: string): boolean {
  return type === 'int8' || type === 'numeric'
}

import type { UnixMs } from '@sluice/protocol/time.ts'
import pg from 'pg'

const bigintArrays = [1016, 1231] // int8[] and numeric[], which pg would turn into texts and floats
const textArray = 1009

/** How values are read: `int8` and `numeric` as `bigint`, all others as the driver does by itself. */
export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return BigInt
    if (bigintArrays.includes(oid)) return parseBigints
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

function parseBigints(text: string): (bigint | null)[] {
  const parts = pg.types.getTypeParser(textArray as number, 'text')(text) as (string | null)[]
  return parts.map((part) => (part === null ? null : BigInt(part)))
}

/** Values that `pg` writes as they are meant: bigint and numbers, texts, booleans, arrays, JSON texts, null. */
export type SqlValue = string | number | bigint | boolean | null | readonly SqlValue[] | Uint8Array

/** A row as the driver gives it, column by column: `int8` and `numeric` are bigint, `jsonb` is read. */
export type StoredRow = readonly unknown[]

/** Where in a row a column stands. */
export type PlaceOf = (column: string) => number

/** What makes a property of a row: of the value at one place, or, at `wholeRow`, of all. */
export type Step = {
  readonly at: number
  /** Without it the value is taken as it is. */
  readonly read?: ((stored: never) => unknown) | undefined
  readonly none?: unknown
}

const wholeRow = -1

/** One column of a table, and where in an entity its value stands: `block.number`. */
export type PlacedColumn = {
  readonly name: string
  /** As `unnest` is told it. */
  readonly type: string
  readonly path: string
  write(value: unknown): SqlValue
}

/** A property of an entity in its columns. */
export type Placed = {
  readonly columns: readonly PlacedColumn[]
  /** How it is read from rows whose columns stand at those places. */
  step(placeOf: PlaceOf): Step
}

declare const value: unique symbol

/** How a property is stored, whatever it is called. */
export type Part<T> = { at(property: string): Placed; readonly [value]?: T }

/** How every property of an entity is stored; a missing or a wrong one does not compile. */
export type Parts<T> = { readonly [Property in keyof T]-?: Part<T[Property]> }

/** A property in one column. */
export type Column<T> = Part<T> & { readonly codec: Codec<T> }

/** `NULL` is no codec's to read. Without `read` the value is what the driver gives. */
type Codec<T> = {
  readonly type: string
  read?: ((stored: never) => T) | undefined
  write(value: T): SqlValue
  /** What `NULL` stands for. */
  readonly none?: T
}

/** A text; a brand or a union of words is taken for granted, since it was checked before it was written. */
export function text<T extends string>(): Column<T> {
  return asIs('text')
}

export function bool(): Column<boolean> {
  return asIs('bool')
}

/** Texts in one column. */
export function texts<T extends string>(): Column<T[]> {
  return asIs('text[]')
}

/** A `bigint` column that stays one: cents, versions, block numbers. */
export function int8<T extends bigint>(): Column<T> {
  return asIs('int8')
}

/** A `numeric` column of scale 0: token units and rates. */
export function numeric<T extends bigint>(): Column<T> {
  return asIs('numeric')
}

/** A small count, or a number that identifies, in a `bigint` column; never an amount of money. */
export function count<T extends number>(): Column<T> {
  return column({ type: 'int8', read: (stored: bigint) => Number(stored) as T, write: (value) => value })
}

/** A number that is no money: a share, a weight, a small count that is no `bigint`. */
export function number(): Column<number> {
  return asIs('float8')
}

/** A moment in Unix milliseconds. */
export function time(): Column<UnixMs> {
  return column({
    type: 'int8',
    read: (stored: bigint) => Number(stored) as UnixMs,
    write: (moment) => moment,
  })
}

/** A `jsonb` column; bigints have no place in it, so what holds some says how they are written. */
export function json<T, Stored = T>(
  convert: { read(stored: Stored): T; write(value: T): Stored } | undefined = undefined,
): Column<T> {
  return column<T>({
    type: 'jsonb',
    read: convert && ((stored: Stored) => convert.read(stored)),
    write: convert ? (value) => JSON.stringify(convert.write(value)) : (value) => JSON.stringify(value),
  })
}

/** A text that stands for something else. */
export function word<T>(convert: { read(stored: string): T; write(value: T): string }): Column<T> {
  return column({ type: 'text', ...convert })
}

/** A column in which `NULL` is `undefined`. */
export function optional<T>(inner: Column<T>): Column<T | undefined> {
  const { type, read, write } = inner.codec
  return column<T | undefined>({
    type,
    read,
    write: (value) => (value === undefined ? null : write(value)),
  })
}

/** A list of which `NULL` says that it is empty. */
export function emptyAsNull<Item>(inner: Column<readonly Item[]>): Column<readonly Item[]> {
  const { type, read, write } = inner.codec
  return column<readonly Item[]>({
    type,
    read,
    write: (list) => (list.length === 0 ? null : write(list)),
    none: [],
  })
}

/** A column whose name is not that of the property. */
export function named<T>(name: string, inner: Column<T>): Column<T> {
  return { codec: inner.codec, at: (property) => place(property, name, inner.codec) }
}

/** Several columns that are one property. */
export function group<T extends object>(parts: Parts<T>): Part<T> {
  return {
    at(property) {
      const { columns, reader } = gather(parts, `${property}.`)
      return { columns, step: (placeOf) => ({ at: wholeRow, read: reader(placeOf) }) }
    },
  }
}

/** A property that is made of the columns of another. */
export function through<T, Inner extends object>(inner: Parts<Inner>, read: (inner: Inner) => T): Part<T> {
  return {
    at(property) {
      const { columns, reader } = gather(inner, `${property}.`)
      return {
        columns,
        step(placeOf) {
          const readInner = reader(placeOf)
          return { at: wholeRow, read: (row: StoredRow) => read(readInner(row)) }
        },
      }
    },
  }
}

/** The columns of all parts, and how rows are read into one object. */
export function gather<T extends object>(parts: Parts<T>, prefix: string) {
  const placed = Object.entries<Part<unknown>>(parts).map(([property, part]) => ({
    property,
    ...part.at(property),
  }))
  return {
    columns: placed.flatMap(({ columns }) =>
      columns.map((each) => ({ ...each, path: `${prefix}${each.path}` })),
    ),
    reader(placeOf: PlaceOf): (row: StoredRow) => T {
      const steps = placed.map(({ property, step }) => ({ property, ...step(placeOf) }))
      // An object that has its properties from the start takes them faster than one that is given them by name.
      const empty = JSON.parse(JSON.stringify(Object.fromEntries(steps.map(({ property }) => [property, 0]))))
      return (row) => {
        const entity = { ...empty }
        for (const { property, at, read, none } of steps) {
          const stored = at === wholeRow ? row : row[at]
          if (stored === null) entity[property] = none
          else entity[property] = read ? read(stored as never) : stored
        }
        return entity
      }
    },
  }
}

function asIs<T extends SqlValue>(type: string): Column<T> {
  return column<T>({ type, write: (value) => value })
}

function column<T>(codec: Codec<T>): Column<T> {
  return { codec, at: (property) => place(property, inSnakeCase(property), codec) }
}

function place<T>(property: string, name: string, { type, read, write, none }: Codec<T>): Placed {
  return {
    columns: [{ name, type, path: property, write: (value) => write(value as T) }],
    step: (placeOf) => ({ at: placeOf(name), read, none }),
  }
}

function inSnakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

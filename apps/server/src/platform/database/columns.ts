import type { UnixMs } from '@sluice/protocol/time.ts'
import pg from 'pg'

const bigintArrays = [1016, 1231] // int8[] and numeric[], which pg would convert to texts and floats
const textArray = 1009

/** Parses `int8` and `numeric` as `bigint`, other types as the driver does. */
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

export type SqlValue = string | number | bigint | boolean | null | readonly SqlValue[] | Uint8Array

/** Row from the driver, column by column: `int8` and `numeric` are bigint, `jsonb` is parsed. */
export type StoredRow = readonly unknown[]

export type PlaceOf = (column: string) => number

export type Step = {
  readonly at: number
  readonly read?: ((stored: never) => unknown) | undefined
  readonly none?: unknown
}

const wholeRow = -1

/** Column of a table, and the path of its value in the entity: `block.number`. */
export type PlacedColumn = {
  readonly name: string
  readonly type: string
  readonly path: string
  write(value: unknown): SqlValue
}

export type Placed = {
  readonly columns: readonly PlacedColumn[]
  step(placeOf: PlaceOf): Step
}

declare const value: unique symbol

export type Part<T> = { at(property: string): Placed; readonly [value]?: T }

export type Parts<T> = { readonly [Property in keyof T]-?: Part<T[Property]> }

export type Column<T> = Part<T> & { readonly codec: Codec<T> }

/** Conversion of values. It never receives `NULL`. Without `read`, the driver's value is returned. */
type Codec<T> = {
  readonly type: string
  read?: ((stored: never) => T) | undefined
  write(value: T): SqlValue
  readonly none?: T
}

/**
 * Text column. Brands and unions are not validated on reads, because they were validated before the write.
 */
export function text<T extends string>(): Column<T> {
  return asIs('text')
}

export function bool(): Column<boolean> {
  return asIs('bool')
}

export function texts<T extends string>(): Column<T[]> {
  return asIs('text[]')
}

/** `bigint` column: cents, versions, block numbers. */
export function int8<T extends bigint>(): Column<T> {
  return asIs('int8')
}

/** `numeric` column of scale 0: token units and rates. */
export function numeric<T extends bigint>(): Column<T> {
  return asIs('numeric')
}

/** `bigint` column read as a `number`: small counts and identifiers, never money. */
export function count<T extends number>(): Column<T> {
  return column({ type: 'int8', read: (stored: bigint) => Number(stored) as T, write: (value) => value })
}

/** `float8` column: shares, weights and small counts, never money. */
export function number(): Column<number> {
  return asIs('float8')
}

export function time(): Column<UnixMs> {
  return column({
    type: 'int8',
    read: (stored: bigint) => Number(stored) as UnixMs,
    write: (moment) => moment,
  })
}

/** `jsonb` column. JSON has no bigint, so values that contain a bigint need `convert`. */
export function json<T, Stored = T>(
  convert: { read(stored: Stored): T; write(value: T): Stored } | undefined = undefined,
): Column<T> {
  return column<T>({
    type: 'jsonb',
    read: convert && ((stored: Stored) => convert.read(stored)),
    write: convert ? (value) => JSON.stringify(convert.write(value)) : (value) => JSON.stringify(value),
  })
}

export function word<T>(convert: { read(stored: string): T; write(value: T): string }): Column<T> {
  return column({ type: 'text', ...convert })
}

export function optional<T>(inner: Column<T>): Column<T | undefined> {
  const { type, read, write } = inner.codec
  return column<T | undefined>({
    type,
    read,
    write: (value) => (value === undefined ? null : write(value)),
  })
}

/** List column in which `NULL` is the empty list. */
export function emptyAsNull<Item>(inner: Column<readonly Item[]>): Column<readonly Item[]> {
  const { type, read, write } = inner.codec
  return column<readonly Item[]>({
    type,
    read,
    write: (list) => (list.length === 0 ? null : write(list)),
    none: [],
  })
}

export function named<T>(name: string, inner: Column<T>): Column<T> {
  return { codec: inner.codec, at: (property) => place(property, name, inner.codec) }
}

export function group<T extends object>(parts: Parts<T>): Part<T> {
  return {
    at(property) {
      const { columns, reader } = gather(parts, `${property}.`)
      return { columns, step: (placeOf) => ({ at: wholeRow, read: reader(placeOf) }) }
    },
  }
}

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
      // V8 assigns to existing properties faster than it adds new ones.
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

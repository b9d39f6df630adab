import { assert } from '../../kernel/assert.ts'
import { writesCached } from '../cache/changes.ts'
import { gather, type Parts, type PlacedColumn, type SqlValue, type StoredRow } from './columns.ts'
import type { Table } from './table.ts'

/** SQL statement, and the name of its prepared form, which is unique in the server. */
export type Statement<Row extends object = object> = {
  readonly name: string
  readonly text: string
  readonly limitMs?: number
  /** Plans each call for its values, without a prepared form. This costs a few tenths of a millisecond. */
  readonly isPlannedAnew?: boolean
  readonly dropsCache?: boolean
  /** Ids of the credentials that the statement ends; caches of verified credentials use the same ids. */
  readonly ends?: readonly string[]
  readonly values?: readonly SqlValue[]
  readonly read?: (rows: readonly StoredRow[], columns: readonly NamedColumn[]) => Row[]
}

type NamedColumn = { readonly name: string }

/**
 * Defines a statement with named values: `:merchant`, or `:block.number` for a value inside another.
 *
 * `:each.units` is the list of `units` of all rows in `each`, for `unnest`. The names are converted to
 * positions once, so that the prepared text stays the same. The compiler checks them. `undefined` is written
 * as `NULL`.
 *
 * @param definition.writes - Table whose properties the names in the text refer to.
 * @param definition.reads - Table, or properties and their columns, into which rows are read.
 */
export function statement<
  const Text extends string,
  Written extends object = NoEntity,
  Row extends object = never,
>(definition: {
  readonly name: string
  readonly text: Text
  readonly limitMs?: number
  /**
   * For lists of thousands of values: a generic plan scans the whole list for each row, but a custom plan
   * looks values up.
   */
  readonly isPlannedAnew?: boolean
  /** `false` if the statement writes a cached table, but no cached column. */
  readonly dropsCache?: boolean
  /** Name of the value (one or a list) that identifies the ended credentials. */
  readonly ends?: string
  readonly writes?: Table<Written>
  readonly reads?: Table<Row> | Parts<Row>
}): (...values: Arguments<Text, Written>) => Statement<Row> {
  const { name, limitMs, isPlannedAnew, writes, reads } = definition
  const { dropsCache = writesCached(definition.text) } = definition
  const { text, paths } = toPositions(definition.text)
  const getters = paths.map((path) => getterOf(path, writes?.columns ?? []))
  const ended = definition.ends === undefined ? undefined : getterOf(definition.ends, [])
  const prepared = {
    name,
    text,
    dropsCache,
    ...(limitMs !== undefined && { limitMs }),
    ...(isPlannedAnew && { isPlannedAnew }),
    ...(reads && { read: readerOf(name, reads) }),
  }
  return (...[values]) => ({
    ...prepared,
    ...(ended && { ends: [ended((values ?? {}) as Record<string, unknown>)].flat() as string[] }),
    values: getters.map((get) => get((values ?? {}) as Record<string, unknown>)),
  })
}

type NoEntity = Record<never, never>

export type Arguments<Text extends string, Written> = string extends Text
  ? ['its names are not known to the compiler']
  : [Names<Text>] extends [never]
    ? []
    : [values: Values<Names<Text>, Written>]

type Values<Name extends string, Written> = Flat<Exclude<Name, `${string}.${string}`>, Written> &
  Nested<Extract<Name, `${string}.${string}`>, Written>

type Flat<Name extends string, Written> = Readonly<Pick<Written, Name & keyof Written>> & {
  readonly [Each in Exclude<Name, keyof Written>]: SqlValue | undefined
}

type Nested<Name extends string, Written> = {
  readonly [Head in HeadOf<Name>]: Head extends 'each'
    ? readonly Values<RestOf<Name, Head>, Written>[]
    : Head extends keyof Written
      ? Written[Head]
      : Values<RestOf<Name, Head>, NoEntity>
}

type HeadOf<Name extends string> = Name extends `${infer Head}.${string}` ? Head : never
type RestOf<Name extends string, Head extends string> = Name extends `${Head}.${infer Rest}` ? Rest : never

type Names<Text extends string, Found extends string = never> = Text extends `${string}:${infer Rest}`
  ? Rest extends `:${infer Cast}`
    ? Names<Cast, Found>
    : Names<Rest, Found | Word<Rest>>
  : Found

type Word<Text extends string, Read extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends WordLetter
    ? Word<Rest, `${Read}${First}`>
    : Read extends ''
      ? never
      : Read
  : Read extends ''
    ? never
    : Read

type LettersOf<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First | LettersOf<Rest>
  : never
type Letter = LettersOf<'abcdefghijklmnopqrstuvwxyz'>
type WordLetter = Letter | Uppercase<Letter> | LettersOf<'.0123456789'>

const comment = /--.*$/
const quoted = /'(?:[^']|'')*'/
const name = /(?<![:\w]):([a-zA-Z][\w.]*)/
const pieces = new RegExp(`${comment.source}|${quoted.source}|${name.source}`, 'gm')

export function toPositions(named: string): { text: string; paths: string[] } {
  const paths: string[] = []
  const text = named.replace(pieces, (piece, path: string | undefined) => {
    if (path === undefined) return piece
    if (!paths.includes(path)) paths.push(path)
    return `$${paths.indexOf(path) + 1}`
  })
  assert(!/\$\d/.test(named.replace(pieces, '')), `values must be named, not positional: ${named}`)
  return { text, paths }
}

type Getter = (values: Record<string, unknown>) => SqlValue

function getterOf(path: string, columns: readonly PlacedColumn[]): Getter {
  if (!path.startsWith('each.')) return getFrom(path, columns)
  const get = getFrom(path.slice('each.'.length), columns)
  return ({ each }) => (each as Record<string, unknown>[]).map(get)
}

function getFrom(path: string, columns: readonly PlacedColumn[]): Getter {
  const [first = '', ...rest] = path.split('.')
  const column = columns.find((each) => each.path === path)
  const get = (values: Record<string, unknown>): unknown => {
    let value = values[first]
    for (const property of rest) value = (value as Record<string, unknown>)[property]
    return value
  }
  return column ? (values) => column.write(get(values)) : (values) => (get(values) ?? null) as SqlValue
}

/** Reads rows by position. Looks up each column's position once, not for every row. */
function readerOf<Row extends object>(statementName: string, reads: Table<Row> | Parts<Row>) {
  const { reader } = gather(isTable(reads) ? reads.parts : reads, '')
  let known: readonly NamedColumn[] = []
  let readRow: (row: StoredRow) => Row
  return (rows: readonly StoredRow[], columns: readonly NamedColumn[]): Row[] => {
    if (columns.length !== known.length || columns.some(({ name }, at) => name !== known[at]?.name)) {
      known = columns
      readRow = reader((column) => {
        const at = columns.findIndex(({ name }) => name === column)
        assert(at >= 0, `${statementName} returns no ${column}`)
        return at
      })
    }
    return rows.map((row) => readRow(row))
  }
}

function isTable<Row extends object>(reads: Table<Row> | Parts<Row>): reads is Table<Row> {
  return typeof (reads as { at?: unknown }).at === 'function'
}

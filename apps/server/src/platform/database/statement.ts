import { assert } from '../../kernel/assert.ts'
import { writesCached } from '../cache/changes.ts'
import { gather, type Parts, type PlacedColumn, type SqlValue, type StoredRow } from './columns.ts'
import type { Table } from './table.ts'

/** A statement, and the name it is prepared under, unique in the whole server. */
export type Statement<Row extends object = object> = {
  readonly name: string
  readonly text: string
  /** For one that goes over many rows: how long it may take where the usual time is too short. */
  readonly limitMs?: number
  /** Whether it is planned for the values of each call, which costs some tenths of a millisecond, and is not prepared. */
  readonly isPlannedAnew?: boolean
  /** Whether it changes cached rows. */
  readonly dropsCache?: boolean
  /** Of whom it ends credentials: what was recently verified goes by these ids. */
  readonly ends?: readonly string[]
  /** In the order of `$1`, `$2`, … */
  readonly values?: readonly SqlValue[]
  /** What rows of those columns stand for; without it rows are given as the driver gives them. */
  readonly read?: (rows: readonly StoredRow[], columns: readonly NamedColumn[]) => Row[]
}

type NamedColumn = { readonly name: string }

/**
 * A statement written by hand, whose values have names: `:merchant`, or `:block.number` for one inside of a value.
 * `:each.units` stands for the list of that value in all rows of `each`, as `unnest` takes it.
 *
 * The text is put into positions once, here, so that it is prepared once and stays the same. Which names it has is
 * known to the compiler. `undefined` is written as `NULL`.
 *
 * @param definition.writes - A table: names that are properties of its entity take, and write, the property's values.
 * @param definition.reads - A table, or properties and their columns: what a row is read into.
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
   * For one that takes lists of thousands: the plan that is kept for any values goes through a whole list for each row,
   * where one for these values looks them up.
   */
  readonly isPlannedAnew?: boolean
  /** `false` if it writes a cached table but no column that is cached. */
  readonly dropsCache?: boolean
  /** The value, one or a list, by which it names those whose credentials it ends. */
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

/** What a statement is called with: an object with a value for each name of its text. */
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

/** The names in a text; `::` is a cast. */
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

/** The text with `$1`, `$2`, … in the place of its names, and the names in their order. */
export function toPositions(named: string): { text: string; paths: string[] } {
  const paths: string[] = []
  const text = named.replace(pieces, (piece, path: string | undefined) => {
    if (path === undefined) return piece
    if (!paths.includes(path)) paths.push(path)
    return `$${paths.indexOf(path) + 1}`
  })
  assert(!/\$\d/.test(named.replace(pieces, '')), `values have names, not positions: ${named}`)
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

/** Reads rows by place: which column stands where is looked up once, and not for every row. */
function readerOf<Row extends object>(statementName: string, reads: Table<Row> | Parts<Row>) {
  const { reader } = gather(isTable(reads) ? reads.parts : reads, '')
  let known: readonly NamedColumn[] = []
  let readRow: (row: StoredRow) => Row
  return (rows: readonly StoredRow[], columns: readonly NamedColumn[]): Row[] => {
    if (columns.length !== known.length || columns.some(({ name }, at) => name !== known[at]?.name)) {
      known = columns
      readRow = reader((column) => {
        const at = columns.findIndex(({ name }) => name === column)
        assert(at >= 0, `${statementName} gives no ${column}`)
        return at
      })
    }
    return rows.map((row) => readRow(row))
  }
}

function isTable<Row extends object>(reads: Table<Row> | Parts<Row>): reads is Table<Row> {
  return typeof (reads as { at?: unknown }).at === 'function'
}

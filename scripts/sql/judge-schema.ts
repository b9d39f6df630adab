import { globalTables } from '../../apps/server/src/platform/cluster/global-tables.ts'
import type { Fault } from '../source/fault.ts'
import { lineAt } from '../source/parse-source.ts'
import { readKeys, readNames, readTable, type Table, type TableKey } from './read-table.ts'

/** A migration file. */
export type Migration = { readonly path: string; readonly text: string }

const refusedForms: readonly (readonly [RegExp, string, string])[] = [
  [/\bTRIGGER\b/i, 'trigger', 'what happens on a write is written in the verb that writes'],
  [/\bDEFERRABLE\b/i, 'deferrable', 'a key holds at once'],
  [/\bON DELETE SET (NULL|DEFAULT)\b/i, 'set-null', 'a row never loses whom it belongs to'],
  [/\b(big|small)?serial\b/i, 'serial', 'ids are text ULIDs or a bigint identity'],
  [
    /\b(now|random|gen_random_uuid|clock_timestamp)\s*\(|\bcurrent_timestamp\b/i,
    'impure',
    'times and ids are parameters',
  ],
]

/**
 * Where the schema breaks the rules that let it be spread over machines later. Rules, by the
 * name each fault carries:
 *
 * - `tenant`: a table has neither a `merchant` column nor a place among the global tables.
 * - `primary-key`: a tenant table's primary key is missing or does not begin with `merchant`.
 * - `unique`, `foreign-key`: such a key of a tenant table does not contain `merchant`, or has it
 *   at another position than the table it refers to.
 * - `foreign-key-inside`: a foreign key stands inside CREATE TABLE and not after it.
 * - `column-constraint`: a column is added to a tenant table together with a constraint.
 * - `int`: an `int` column; counts and ids are bigint.
 * - `function`: a statement of a function touches a tenant table without saying whose rows.
 * - `trigger`, `deferrable`, `set-null`, `serial`, `impure`: forms that are not used at all.
 * - `stale`: a global table that no migration makes.
 */
export function judgeSchema(migrations: readonly Migration[]): Fault[] {
  const faults: Fault[] = []
  const made = new Set<string>()
  const tenants = tenantTables(migrations)
  for (const migration of migrations) {
    for (const { sql, line } of splitMigration(migration.text)) {
      const report = (rule: string, message: string) =>
        void faults.push({ path: migration.path, line, rule, message })
      for (const [form, rule, why] of refusedForms) if (form.test(sql)) report(rule, why)
      const table = readTable(sql)
      if (table) {
        made.add(table.name)
        judgeTable(table, report)
      } else {
        judgeLaterKeys(sql, report)
        judgeFunction(sql, tenants, report)
      }
    }
  }
  if (migrations.length === 0) return faults
  for (const name of globalTables) {
    if (made.has(name)) continue
    const message = `${name} is named in global-tables.ts, but no migration makes it`
    faults.push({
      path: 'apps/server/src/platform/cluster/global-tables.ts',
      line: 1,
      rule: 'stale',
      message,
    })
  }
  return faults
}

/** The names of the tables that belong to merchants. */
export function tenantTables(migrations: readonly Migration[]): string[] {
  return migrations
    .flatMap(({ text }) => splitMigration(text))
    .flatMap(({ sql }) => readTable(sql)?.name ?? [])
    .filter((name) => !globalTables.has(name))
}

type Report = (rule: string, message: string) => void

function judgeTable(table: Table, report: Report): void {
  for (const { name, type } of table.columns)
    if (/^(int|integer|int4)$/.test(type)) report('int', `${table.name}.${name} is ${type}; use bigint`)
  if (globalTables.has(table.name)) return
  if (!table.columns.some(({ name }) => name === 'merchant')) {
    report('tenant', `${table.name} has no merchant column and is no global table`)
    return
  }
  const primary = table.keys.find(({ kind }) => kind === 'primary')
  if (primary?.columns[0] !== 'merchant')
    report('primary-key', `the primary key of ${table.name} begins with merchant`)
  for (const key of table.keys) judgeKey(table.name, key, report)
  if (table.keys.some(({ kind }) => kind === 'foreign'))
    report('foreign-key-inside', `add the foreign key of ${table.name} after the table`)
}

function judgeKey(table: string, key: TableKey, report: Report): void {
  const at = key.columns.indexOf('merchant')
  if (key.kind === 'unique' && at === -1) report('unique', `a unique key of ${table} lacks merchant`)
  if (key.kind === 'foreign' && (at === -1 || key.refers?.[at] !== 'merchant'))
    report('foreign-key', `a foreign key of ${table} lacks merchant in the same place on both sides`)
}

function judgeLaterKeys(sql: string, report: Report): void {
  const altered = /^ALTER TABLE (?:ONLY )?"?(\w+)"?/i.exec(sql)?.[1]
  if (
    altered &&
    !globalTables.has(altered) &&
    /\bADD COLUMN\b[\s\S]*\b(CHECK|REFERENCES|UNIQUE)\b/i.test(sql)
  )
    report('column-constraint', `add the column to ${altered}, and its constraint by a statement of its own`)
  if (altered && !globalTables.has(altered)) for (const key of readKeys(sql)) judgeKey(altered, key, report)
  const index = /^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\w+ ON "?(\w+)"?\s*\(([^)]*)\)/i.exec(sql)
  const table = index?.[1]
  if (table && !globalTables.has(table))
    judgeKey(table, { kind: 'unique', columns: readNames(index?.[2]) }, report)
}

/** What a function does to merchants' rows is held to what statements are: each says whose they are. */
function judgeFunction(sql: string, tenants: readonly string[], report: Report): void {
  const [, name, body] = /^CREATE (?:OR REPLACE )?FUNCTION (\w+)[\s\S]*?\$\$([\s\S]*)\$\$/i.exec(sql) ?? []
  if (name === undefined || body === undefined) return
  for (const part of body.split(/;\s/)) {
    const touched = tenants.find((table) =>
      new RegExp(`\\b(FROM|INTO|UPDATE|JOIN)\\s+${table}\\b`, 'i').test(part),
    )
    const saysWhose = /\bINTO\s+\w+\s*\(\s*merchant\b|\bmerchant\s*=/i.test(part)
    if (touched && !saysWhose) report('function', `${name} touches ${touched} without saying whose rows`)
  }
}

/** Statements with the line each begins on; comments are blanked, a semicolon at a line's end divides, but in `$$`. */
function splitMigration(text: string): { sql: string; line: number }[] {
  const bare = text.replace(/--.*$/gm, (comment) => ' '.repeat(comment.length))
  const statements: { sql: string; line: number }[] = []
  const each = /\S(?:\$\$[\s\S]*?\$\$|[\s\S])*?(?:;[ \t]*$|$(?![\s\S]))/gm
  for (const match of bare.matchAll(each)) {
    const sql = match[0].replace(/;\s*$/, '').trim()
    if (sql) statements.push({ sql, line: lineAt(text, match.index + 1) })
  }
  return statements
}

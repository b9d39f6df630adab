import type { Fault } from '../source/fault.ts'
import { asksAll, asksInTurn, locksOnOneMachine, sendsToAll, writesOfMany } from './asks-all.ts'
import type { FoundStatement } from './find-statements.ts'

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const impure =
  /\b(now|random|gen_random_uuid|uuidv4|uuidv7|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\bcurrent_(timestamp|date|time)\b|\blocal(time|timestamp)\b/i
const databaseTime = /\bclock_timestamp\s*\(/i
const takesFirstOfEach = /\bunnest\s*\(.*\bLATERAL\s*\(.*\bLIMIT\b/is
const isOfOne = /\bmerchant\s*=\s*(\$\d|:[a-z])/i
const lease = 'apps/server/src/platform/jobs/lease.ts'

/**
 * Where statements break the rules of SQL in this repository. Rules, by the name each fault carries:
 *
 * - `name`: a name is not kebab-case, or two statements share it.
 * - `unread`: a name or a text that this check cannot read, so that it could not judge the statement.
 * - `positions`: a statement that `statement` does not make says `$1`.
 * - `impure`: the database's own time or chance; `clock_timestamp` is for leases alone.
 * - `merchant`: a statement on a tenant table does not mention the merchant.
 * - `shard`: one that reads a tenant table does not say whose rows by `merchant = :…` or `merchant = ANY(:…)`, and is not
 *   listed in asks-all.ts; or it is listed there and does.
 * - `simple-case`: `CASE x WHEN` with values in it, which a worker may be sent with other types; `CASE WHEN x =` is the same.
 * - `conflict-parameter`: a value inside `ON CONFLICT … WHERE`; `excluded` has it.
 * - `ends-in-insert`: a statement that begins with `WITH` ends in `INSERT … SELECT`, which cannot be planned with values in it.
 * - `subscript`: an element of an array in the `SET` of an `UPDATE`: Citus (13.2.2) ends with it, and all of its connections.
 * - `sends-to-all`: an insert reads what another part of its statement gives, and is not listed in asks-all.ts; or it is
 *   listed there and does not.
 * - `in-turn`: the first few of each of an array, of several merchants, and not listed in asks-all.ts; or it is listed there and
 *   does not.
 * - `many`: rows of several merchants are updated or deleted, which asks for locks on several machines and waits for all of
 *   them, and not listed in asks-all.ts; or it is listed there and does not.
 * - `lock`: `FOR UPDATE` or `SKIP LOCKED` on a tenant table not bound to one merchant, and not listed in asks-all.ts.
 */
export function judgeStatements(statements: readonly FoundStatement[], tenants: readonly string[]): Fault[] {
  const firstByName = new Map<string, FoundStatement>()
  return statements.flatMap((statement) => {
    const { path, line, name, text } = statement
    const faults: Fault[] = []
    const report = (rule: string, message: string) => void faults.push({ path, line, rule, message })
    if (name === undefined || text === undefined) {
      const hidden = name === undefined ? 'the name' : `the text of '${name}'`
      report('unread', `${hidden} cannot be told from constants, imports and calls of them`)
      return faults
    }
    if (!kebabCase.test(name)) report('name', `'${name}' is not kebab-case`)
    const first = firstByName.get(name)
    if (first) report('name', `'${name}' is also the name of a statement at ${first.path}:${first.line}`)
    else firstByName.set(name, statement)

    const bare = text.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
    if (impure.test(bare)) report('impure', `'${name}' takes time or chance from the database`)
    if (databaseTime.test(bare) && path !== lease)
      report('impure', `'${name}' uses clock_timestamp, which is for leases alone`)

    if (!statement.isMade && /\$\d/.test(bare))
      report('positions', `'${name}' has positions; statement() names them`)

    for (const [rule, message] of judgeForm(bare)) report(rule, `'${name}' ${message}`)
    if (insertsFromParts(bare) !== sendsToAll.has(name))
      report(
        'sends-to-all',
        sendsToAll.has(name)
          ? `'${name}' is listed in asks-all.ts, and no insert of it reads another part`
          : `'${name}' has an insert that reads another part of the statement; take its values from parameters or rows`,
      )
    for (const [rule, message] of judgeTenancy(name, bare, tenants)) report(rule, message)
    return faults
  })
}

/** Whether it says whose rows of tenant tables it asks for, and of how many. */
function judgeTenancy(
  name: string,
  bare: string,
  tenants: readonly string[],
): readonly (readonly [rule: string, message: string])[] {
  const faults: [string, string][] = []
  const report = (rule: string, message: string) => void faults.push([rule, message])
  const touched = tenants.filter((table) => touches(bare, table))
  if (touched.length === 0) return faults
  if (!/\bmerchant\b/.test(bare.replace(/\b(FROM|INTO|UPDATE|JOIN)\s+merchant\b/gi, '')))
    report('merchant', `'${name}' touches ${touched.join(', ')} without saying merchant`)
  const isRead = tenants.some((table) => touches(bare.replace(/\bINTO\s+\w+/gi, ''), table))
  const saysWhose = /\bmerchant\s*=\s*(ANY\s*\(\s*)?(:[a-z]|\$\d|'')/i.test(bare)
  const looksInTurn = takesFirstOfEach.test(bare) && !isOfOne.test(bare)
  if (looksInTurn !== asksInTurn.has(name))
    report(
      'in-turn',
      looksInTurn
        ? `'${name}' takes the first of each of several, which a cluster cannot do`
        : `'${name}' is listed in asks-all.ts, and does not take the first of each of several`,
    )
  if (isRead && !saysWhose && !asksAll.has(name) && !looksInTurn)
    report('shard', `'${name}' does not say whose rows of ${touched.join(', ')} it asks for`)
  if (asksAll.has(name) && saysWhose)
    report('shard', `'${name}' is listed in asks-all.ts, and says whose rows`)
  const changesMany = touched.some((table) => changes(bare, table)) && /\bmerchant\s*=\s*ANY\b/i.test(bare)
  if (changesMany !== writesOfMany.has(name))
    report(
      'many',
      changesMany
        ? `'${name}' changes rows of several merchants; say one, or decide what a machine that is away does to it`
        : `'${name}' is listed in asks-all.ts, and changes no rows of several merchants`,
    )
  const doesLock = /\bFOR (NO KEY )?(UPDATE|SHARE)\b|\bSKIP LOCKED\b/i.test(bare)
  const locksMany = doesLock && !isOfOne.test(bare)
  if (locksMany && !locksOnOneMachine.has(name))
    report('lock', `'${name}' locks rows of more than one merchant`)
  if (!locksMany && locksOnOneMachine.has(name))
    report('lock', `'${name}' is listed in asks-all.ts, and locks no rows of several merchants`)
  return faults
}

/** Forms that are right on one PostgreSQL and not where tables are spread. */
function judgeForm(sql: string): [rule: string, message: string][] {
  const faults: [string, string][] = []
  const simple = sql.match(/\bCASE\s+(?!\s|WHEN\b)[\s\S]*?\bEND\b/gi) ?? []
  if (simple.some((each) => /(?<!:):[a-z]|\$\d/i.test(each)))
    faults.push(['simple-case', 'has CASE x WHEN with values in it; write CASE WHEN x ='])
  const conflict = /\bON CONFLICT\b[\s\S]*?\bDO UPDATE SET\b([\s\S]*)$/i.exec(sql)?.[1] ?? ''
  const condition = /\bWHERE\b([\s\S]*?)(\bRETURNING\b|$)/i.exec(conflict)?.[1] ?? ''
  if (/(?<!:):[a-z]|\$\d/i.test(condition))
    faults.push(['conflict-parameter', 'has a value inside ON CONFLICT … WHERE; take it from excluded'])
  if (/^\s*WITH\b/i.test(sql) && /^INSERT\b[\s\S]*\bSELECT\b/i.test(lastVerb(sql)))
    faults.push(['ends-in-insert', 'ends in INSERT … SELECT; put it into the WITH, and end in a SELECT'])
  const changes =
    sql.match(/\bUPDATE\s+[\w\s]+?\bSET\b[\s\S]*?(?=\bWHERE\b|\bRETURNING\b|\bUPDATE\b|$)/gi) ?? []
  if (changes.some((each) => /(?:\)|\]|\b(?!ARRAY\b)\w+)\s*\[\s*[^\]\s]/i.test(each)))
    faults.push([
      'subscript',
      'takes an element of an array in the SET of an UPDATE; join unnest(…), or use split_part',
    ])
  return faults
}

/** Whether an insert of a statement selects from what another of its parts gives. */
function insertsFromParts(sql: string): boolean {
  const parts = [
    ...sql.matchAll(/(?:\bWITH|,)\s+(\w+)(?:\s*\([^()]*\))?\s+AS\s+(?:MATERIALIZED\s+)?(?=\()/gi),
  ].map(({ 1: name = '', index, 0: { length } }) => ({ name, body: insideBrackets(sql, index + length) }))
  const inserts = [...parts.map(({ body }) => body), lastVerb(sql)].filter((body) =>
    /^\s*INSERT\b/i.test(body),
  )
  return inserts.some((body) =>
    parts.some(({ name }) =>
      new RegExp(`(\\bFROM|\\bJOIN|,)\\s+${name}\\b(?!\\s*[.(])`, 'i').test(selectOf(body)),
    ),
  )
}

/** From an opening bracket to where it closes. */
function insideBrackets(sql: string, from: number): string {
  let depth = 0
  for (let at = from; at < sql.length; at++) {
    if (sql[at] === '(') depth++
    if (sql[at] === ')' && --depth === 0) return sql.slice(from + 1, at)
  }
  return sql.slice(from + 1)
}

/** What an insert selects, without the names of the columns that it fills and gives back. */
function selectOf(insert: string): string {
  return /\bSELECT\b[\s\S]*/i.exec(insert)?.[0].replace(/\bRETURNING\b[\s\S]*$/i, '') ?? ''
}

/** What follows the last part of a `WITH`: what stands outside of all brackets from its first verb on. */
function lastVerb(sql: string): string {
  let depth = 0
  let outside = ''
  for (const letter of sql) {
    if (letter === '(') depth++
    if (depth === 0) outside += letter
    if (letter === ')') depth--
  }
  return /\b(SELECT|INSERT|UPDATE|DELETE)\b[\s\S]*/i.exec(outside)?.[0] ?? ''
}

function changes(sql: string, table: string): boolean {
  return new RegExp(`\\b(UPDATE|DELETE\\s+FROM)\\s+(ONLY\\s+)?${table}\\b`, 'i').test(sql)
}

function touches(sql: string, table: string): boolean {
  return new RegExp(`\\b(FROM|INTO|UPDATE|JOIN|USING)\\s+(ONLY\\s+)?${table}\\b(?!\\s*\\()`, 'i').test(sql)
}

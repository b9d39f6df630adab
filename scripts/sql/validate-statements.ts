import type { CheckError } from '../source/check-error.ts'
import { asksAll } from './asks-all.ts'
import type { FoundStatement } from './find-statements.ts'

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const impure =
  /\b(now|random|gen_random_uuid|uuidv4|uuidv7|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\bcurrent_(timestamp|date|time)\b|\blocal(time|timestamp)\b/i
const databaseTime = /\bclock_timestamp\s*\(/i
const lease = 'apps/server/src/platform/jobs/lease.ts'
const value = /(?<!:):[a-z]|\$\d/i

/**
 * Finds statements that violate the SQL rules of this repository. Rules, by the name in each error:
 *
 * - `name`: a name is not kebab-case, or two statements share it.
 * - `unread`: this check cannot evaluate the name or the text, so it cannot judge the statement.
 * - `positions`: a statement not built by `statement` contains `$1`.
 * - `impure`: a statement uses the database's clock or randomness. Only leases may use `clock_timestamp`.
 * - `merchant`: a statement on a tenant table does not contain the merchant column.
 * - `shard`: a statement reads a tenant table without `merchant = :…` or `merchant = ANY(:…)` and is missing
 *   from asks-all.ts, or it is listed there although it has such a condition.
 * - `simple-case`: a statement contains `CASE x WHEN` with values, which Citus may send to a worker with
 *   other types.
 * - `subscript`: the `SET` of an `UPDATE` reads an array element, which crashes Citus (13.2.2) and closes all
 *   of its connections.
 */
export function validateStatements(
  statements: readonly FoundStatement[],
  tenants: readonly string[],
): CheckError[] {
  const firstByName = new Map<string, FoundStatement>()
  return statements.flatMap((statement) => {
    const { path, line, name, text } = statement
    const errors: CheckError[] = []
    const report = (rule: string, message: string) => void errors.push({ path, line, rule, message })
    if (name === undefined || text === undefined) {
      const hidden = name === undefined ? 'the name' : `the text of '${name}'`
      report('unread', `${hidden} cannot be told from constants, imports and calls of them`)
      return errors
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
    const cases = bare.match(/\bCASE\s+(?!\s|WHEN\b)[\s\S]*?\bEND\b/gi) ?? []
    if (cases.some((each) => value.test(each)))
      report('simple-case', `'${name}' has CASE x WHEN with values in it; write CASE WHEN x =`)
    const sets = bare.match(/\bUPDATE\s+[\w\s]+?\bSET\b[\s\S]*?(?=\bWHERE\b|\bRETURNING\b|\bUPDATE\b|$)/gi)
    if (sets?.some((each) => /(?:\)|\]|\b(?!ARRAY\b)\w+)\s*\[\s*[^\]\s]/i.test(each)))
      report('subscript', `'${name}' takes an element of an array in the SET of an UPDATE; join unnest(…)`)
    validateTenancy(name, bare, tenants, report)
    return errors
  })
}

/** Checks that a statement restricts tenant tables to a merchant. */
function validateTenancy(
  name: string,
  bare: string,
  tenants: readonly string[],
  report: (rule: string, message: string) => void,
): void {
  const touched = tenants.filter((table) => touches(bare, table))
  if (touched.length === 0) return
  if (!/\bmerchant\b/.test(bare.replace(/\b(FROM|INTO|UPDATE|JOIN)\s+merchant\b/gi, '')))
    report('merchant', `'${name}' touches ${touched.join(', ')} without saying merchant`)
  const isRead = tenants.some((table) => touches(bare.replace(/\bINTO\s+\w+/gi, ''), table))
  const saysWhose = /\bmerchant\s*=\s*(ANY\s*\(\s*)?(:[a-z]|\$\d|'')/i.test(bare)
  if (isRead && !saysWhose && !asksAll.has(name))
    report('shard', `'${name}' does not say whose rows of ${touched.join(', ')} it asks for`)
  if (asksAll.has(name) && saysWhose)
    report('shard', `'${name}' is listed in asks-all.ts, and says whose rows`)
}

function touches(sql: string, table: string): boolean {
  return new RegExp(`\\b(FROM|INTO|UPDATE|JOIN|USING)\\s+(ONLY\\s+)?${table}\\b(?!\\s*\\()`, 'i').test(sql)
}

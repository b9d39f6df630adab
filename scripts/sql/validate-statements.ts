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
 * Where statements break the rules of SQL in this repository. Rules, by the name each fault carries:
 *
 * - `name`: a name is not kebab-case, or two statements share it.
 * - `unread`: a name or a text that this check cannot read, so that it could not judge the statement.
 * - `positions`: a statement that `statement` does not make says `$1`.
 * - `impure`: the database's own time or chance; `clock_timestamp` is for leases alone.
 * - `merchant`: a statement on a tenant table does not mention the merchant.
 * - `shard`: one that reads a tenant table does not say whose rows by `merchant = :…` or `merchant = ANY(:…)`, and is not
 *   listed in asks-all.ts; or it is listed there and does.
 * - `simple-case`: `CASE x WHEN` with values in it, which a worker of Citus may be sent with other types.
 * - `subscript`: an element of an array in the `SET` of an `UPDATE`: Citus (13.2.2) ends with it, and all of its connections.
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

/** Whether it says whose rows of tenant tables it asks for. */
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

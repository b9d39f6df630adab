import type { Fault } from '../source/fault.ts'
import type { FoundStatement } from './find-statements.ts'

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const impure =
  /\b(now|random|gen_random_uuid|uuidv4|uuidv7|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\bcurrent_(timestamp|date|time)\b|\blocal(time|timestamp)\b/i
const databaseTime = /\bclock_timestamp\s*\(/i
const lease = 'apps/server/src/platform/jobs/lease.ts'

/**
 * Where statements break the rules of SQL in this repository. Rules, by the name each fault carries:
 *
 * - `name`: a name is not kebab-case, or two statements share it.
 * - `impure`: the database's own time or chance; `clock_timestamp` is for leases alone.
 * - `merchant`: a statement on a tenant table does not mention the merchant.
 * - `lock`: `FOR UPDATE` or `SKIP LOCKED` on a tenant table not bound to one merchant.
 */
export function judgeStatements(statements: readonly FoundStatement[], tenants: readonly string[]): Fault[] {
  const firstByName = new Map<string, FoundStatement>()
  return statements.flatMap((statement) => {
    const { path, line, name, text } = statement
    const faults: Fault[] = []
    const report = (rule: string, message: string) => void faults.push({ path, line, rule, message })

    if (!kebabCase.test(name)) report('name', `'${name}' is not kebab-case`)
    const first = firstByName.get(name)
    if (first) report('name', `'${name}' is also the name of a statement at ${first.path}:${first.line}`)
    else firstByName.set(name, statement)

    const bare = text.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
    if (impure.test(bare)) report('impure', `'${name}' takes time or chance from the database`)
    if (databaseTime.test(bare) && path !== lease)
      report('impure', `'${name}' uses clock_timestamp, which is for leases alone`)

    const touched = tenants.filter((table) => touches(bare, table))
    if (touched.length === 0) return faults
    if (!/\bmerchant\b/.test(bare.replace(/\b(FROM|INTO|UPDATE|JOIN)\s+merchant\b/gi, '')))
      report('merchant', `'${name}' touches ${touched.join(', ')} without saying merchant`)
    const doesLock = /\bFOR (NO KEY )?(UPDATE|SHARE)\b|\bSKIP LOCKED\b/i.test(bare)
    if (doesLock && !/\bmerchant\s*=\s*\$\d/.test(bare))
      report('lock', `'${name}' locks rows of more than one merchant`)
    return faults
  })
}

function touches(sql: string, table: string): boolean {
  return new RegExp(`\\b(FROM|INTO|UPDATE|JOIN|USING)\\s+(ONLY\\s+)?${table}\\b(?!\\s*\\()`, 'i').test(sql)
}

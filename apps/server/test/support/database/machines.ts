import { globalTables } from '../../../src/platform/cluster/global-tables.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { laneOf } from '../../../src/platform/jobs/lane.ts'
import { wrapDatabase } from './wrap-database.ts'

/** Two machines that merchants are spread over, as far as anybody can tell who asks one PostgreSQL through them. */
export type Machines = {
  /** Stands between a service and its database. */
  between(db: Database): Database
  /** Where a merchant stands; who is new is known by that from then on. */
  placeOf(merchant: string): string
  /** Has a machine refuse every connection: what is asked of the rows on it fails, as a coordinator says it. */
  cut(place: string): void
  mend(): void
  /** The names of what was asked of a machine that was away. */
  readonly failed: string[]
}

/** The schema says where a merchant stands; here one of two, by its lane. */
const places = `CREATE OR REPLACE FUNCTION place_of(merchant text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT (get_byte(sha256(convert_to(merchant, 'UTF8')), 0) % 2)::text $$`

const saysWhose = /\bmerchant\s*=\s*(ANY\s*\(\s*)?[:$]/i
const tables = /\b(?:FROM|INTO|UPDATE|JOIN|USING)\s+(?:ONLY\s+)?([a-z_]+)\b(?!\s*\()/gi

/** Opens them over a database of one test file. */
export async function openMachines(db: Database): Promise<Machines> {
  await db.run({ name: '', text: places })
  const found = await db.rows<{ name: string }>({
    name: '',
    text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  })
  const tenants = new Set(found.map(({ name }) => name))
  for (const name of [...globalTables, 'lease', 'migration']) tenants.delete(name)
  const known = new Set<string>()
  const hash = (merchant: string) => String(laneOf(merchant) % 2)
  const failed: string[] = []
  let away: string | undefined
  const isOnIt = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isOnIt) : typeof value === 'string' && hash(value) === away
  return {
    placeOf(merchant) {
      known.add(merchant)
      return hash(merchant)
    },
    failed,
    cut: (place) => {
      away = place
    },
    mend: () => {
      away = undefined
    },
    between: (inner) =>
      wrapDatabase(inner, async (statement, run) => {
        const { name, text, values = [] } = statement
        const isOfMerchants = [...text.matchAll(tables)].some(([, table = '']) => tenants.has(table))
        if (away === undefined || !isOfMerchants) return run()
        // Which of the values are merchants is where the text says so.
        const whose = [...text.matchAll(/\bmerchant\s*=\s*(?:ANY\s*\(\s*)?\$(\d+)/gi)].map(([, at]) =>
          Number(at),
        )
        const isAway = saysWhose.test(text)
          ? whose.some((at) => isOnIt(values[at - 1]))
          : !/^\s*(INSERT|WITH)\b/i.test(text) ||
            values.flat().some((value) => typeof value === 'string' && known.has(value) && isOnIt(value))
        if (!isAway) return run()
        failed.push(name)
        const message = `connection to the remote node sluice@machine-${away}:5432 failed with the following error: Connection refused`
        throw asOutage(Object.assign(new Error(message), { code: '08006', severity: 'ERROR' }))
      }),
  }
}

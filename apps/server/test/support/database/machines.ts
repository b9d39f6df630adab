import assert from 'node:assert/strict'
import { globalTables } from '../../../src/platform/cluster/global-tables.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { laneOf } from '../../../src/platform/jobs/lane.ts'
import { isOnCluster } from './on-cluster.ts'
import { wrapDatabase } from './wrap-database.ts'

/** What a machine refuses: all, what writes since it only reads, or what would need room on its disk. */
export type Refused = keyof typeof refusals

const refusals = {
  all: {
    of: /./,
    code: '08006',
    message: 'connection to the remote node sluice@machine:5432 failed with the following error: refused',
  },
  writes: {
    of: /\b(INSERT|UPDATE|DELETE)\b/i,
    code: '25006',
    message: 'cannot execute INSERT in a read-only transaction',
  },
  rows: {
    of: /\bINSERT\b/i,
    code: '53100',
    message: 'could not extend file "base/1/2": No space left on device',
  },
} as const

/** The machines that the merchants of a database are spread over, one of which can be cut off. */
export type Machines = {
  /** Stands between a service and its database. */
  between(db: Database): Database
  /** Where a merchant stands; who is new is known by that from then on. */
  placeOf(merchant: string): Promise<string>
  /** Has a machine refuse every connection; where the machines are pretended, or less. */
  cut(place: string, refuses?: Refused): Promise<void>
  mend(): Promise<void>
}

/** Those of a cluster, where the run's PostgreSQL is one; else two, as far as anybody can tell who asks one PostgreSQL. */
export async function openMachines(db: Database): Promise<Machines> {
  return isOnCluster ? openWorkers(db) : openPretended(db)
}

/** Where no worker listens; for this database alone. */
function openWorkers(db: Database): Machines {
  const run = (text: string) => db.run({ name: '', text })
  return {
    between: (inner) => inner,
    async placeOf(merchant) {
      const text = `SELECT place_of('${merchant}') AS place`
      return (await db.row<{ place: string }>({ name: '', text }))?.place ?? ''
    },
    async cut(place, refuses = 'all') {
      assert.equal(refuses, 'all', 'a worker of a cluster refuses all or nothing here')
      await run('CREATE TABLE IF NOT EXISTS test_port AS SELECT groupid, nodeport FROM pg_dist_node')
      await run(`UPDATE pg_dist_node SET nodeport = groupid WHERE groupid = ${place}`)
    },
    async mend() {
      await run(
        'UPDATE pg_dist_node n SET nodeport = p.nodeport FROM test_port p WHERE p.groupid = n.groupid',
      )
    },
  }
}

/** The schema says where a merchant stands; here one of two machines, by its lane. */
const pretend = `CREATE OR REPLACE FUNCTION place_of(merchant text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT (get_byte(sha256(convert_to(merchant, 'UTF8')), 0) % 2)::text $$`

/** The last is of a statement that looks for one merchant after the other, which a real cluster is not sent. */
const whose =
  /(?:\bmerchant\s*=\s*(?:ANY\s*\(\s*)?|\bunnest\s*\(\s*(?=\$\d+::text\[\]\) AS asked \(whose\)))\$(\d+)/gi
/** What a bracket follows is a function, but for the columns of an insert. */
const tables = /\bINTO\s+([a-z_]+)|\b(?:FROM|UPDATE|JOIN|USING)\s+(?:ONLY\s+)?([a-z_]+)\b(?!\s*\()/gi

/** What is asked of the rows on a machine that is cut off fails as a coordinator says it. */
async function openPretended(db: Database): Promise<Machines> {
  await db.run({ name: '', text: pretend })
  const found = await db.rows<{ name: string }>({
    name: '',
    text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  })
  const tenants = new Set(found.map(({ name }) => name))
  for (const name of [...globalTables, 'lease', 'migration']) tenants.delete(name)
  const known = new Set<string>()
  const placeOf = (merchant: string) => String(laneOf(merchant) % 2)
  let away: string | undefined
  let refused: (typeof refusals)[Refused] = refusals.all
  const isOnIt = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isOnIt) : typeof value === 'string' && placeOf(value) === away
  return {
    async placeOf(merchant) {
      known.add(merchant)
      return placeOf(merchant)
    },
    async cut(place, refuses = 'all') {
      away = place
      refused = refusals[refuses]
    },
    async mend() {
      away = undefined
    },
    between: (inner) =>
      wrapDatabase(inner, async (statement, run) => {
        const { text, values = [] } = statement
        const isOfMerchants = [...text.matchAll(tables)].some(([, into = '', table = into]) =>
          tenants.has(table),
        )
        if (away === undefined || !isOfMerchants || !refused.of.test(text)) return run()
        // Which of the values are merchants, the text says; of an insert, who they are.
        const named = [...text.matchAll(whose)].map(([, at]) => values[Number(at) - 1])
        const inserted = values
          .flat()
          .filter((value) => typeof value === 'string' && known.has(value)) as string[]
        const isInsert = /\bINSERT\b/i.test(text)
        const asksAll = named.length === 0 && !isInsert
        if (!asksAll && !isOnIt(named.length > 0 ? named : inserted)) return run()
        throw asOutage(Object.assign(new Error(refused.message), { code: refused.code }))
      }),
  }
}

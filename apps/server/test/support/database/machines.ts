import assert from 'node:assert/strict'
import { globalTables } from '../../../src/platform/cluster/global-tables.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { laneOf } from '../../../src/platform/jobs/lane.ts'
import { isOnCluster } from './on-cluster.ts'
import { wrapDatabase } from './wrap-database.ts'

/** The statements that an unavailable machine rejects: all, writes, or inserts because its disk is full. */
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

/** The database nodes of the merchants, of which one can be made unavailable. */
export type Machines = {
  /** Wraps the database of a service. */
  between(db: Database): Database
  /** Returns the node of a merchant, and registers a new merchant. */
  placeOf(merchant: string): Promise<string>
  /** Makes a node unavailable; only simulated nodes support `refuses`. */
  cut(place: string, refuses?: Refused): Promise<void>
  mend(): Promise<void>
}

/** Returns the workers of the cluster, or two simulated nodes if the tests run on one PostgreSQL. */
export async function openMachines(db: Database): Promise<Machines> {
  return isOnCluster ? openWorkers(db) : openPretended(db)
}

/** Changes the port of a worker, for this database alone. */
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

/** Replaces the schema's function: one of two nodes, by the merchant's shard. */
const pretend = `CREATE OR REPLACE FUNCTION place_of(merchant text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT (get_byte(sha256(convert_to(merchant, 'UTF8')), 0) % 2)::text $$`

/** The parameters that are merchants. A real cluster gets no statement with `unnest … AS asked (whose)`. */
const whose =
  /(?:\bmerchant\s*=\s*(?:ANY\s*\(\s*)?|\bunnest\s*\(\s*(?=\$\d+::text\[\]\) AS asked \(whose\)))\$(\d+)/gi
/** The tables of a statement. A name before a bracket is a function, except after INTO. */
const tables = /\bINTO\s+([a-z_]+)|\b(?:FROM|UPDATE|JOIN|USING)\s+(?:ONLY\s+)?([a-z_]+)\b(?!\s*\()/gi

/** Fails statements on rows of an unavailable node with the error of a Citus coordinator. */
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
        // An insert does not name its merchants: registered wallets among the values are.
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

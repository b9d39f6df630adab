import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../src/platform/database/database.ts'
import { sessionHeaders } from '../support/api/call-api.ts'
import { Asker } from '../support/api/raw-requests.ts'
import { multiplyRows } from '../support/database/multiply-rows.ts'
import { isOnCluster } from '../support/database/on-cluster.ts'
import { readsWhole } from '../support/database/reads-whole.ts'
import { wholeReads } from '../support/database/whole-reads.ts'
import { wrapDatabase } from '../support/database/wrap-database.ts'
import { perFile } from '../support/per-file.ts'
import { filtersOf, queriesOf } from '../support/routes/filters.ts'
import { nameOfRoute } from '../support/routes/mounted-routes.ts'
import { samples } from '../support/routes/samples.ts'
import { makeTenant } from '../support/service/tenant.ts'
import { startWholeService } from '../support/service/whole-service.ts'

const manyRows = 10_000

/** What was sent to PostgreSQL, by its text: the statement's name, and the first request that sent it. */
const sent = new Map<string, { readonly name: string; readonly by: string }>()
let asked = 'a job'
const service = perFile(() => startWholeService({ between: keepTexts }))
const asker = perFile(() => new Asker(service.port))
const tenant = perFile(() => makeTenant(service, asker))
const filters = perFile(() => filtersOf(tenant))
const reads = () =>
  service.routes.filter((route) => {
    const sample = samples[nameOfRoute(route)]
    const isOpen = sample?.as.some((who) => who === 'owner' || who === 'nobody')
    return route.method === 'GET' && sample?.comesTo === 200 && isOpen
  })

function keepTexts(db: Database): Database {
  return wrapDatabase(db, ({ name, text }, run) => {
    if (!sent.has(text)) sent.set(text, { name, by: asked })
    return run()
  })
}

/** Asks every read with each filter in each order. @returns What was not answered with 200. */
async function askAll(): Promise<string[]> {
  const refused: string[] = []
  for (const route of reads()) {
    const name = nameOfRoute(route)
    const path = samples[name]?.target(tenant) ?? ''
    const limit = parametersOf(route).includes('limit') && { limit: ['2'] }
    for (const query of ['', ...queriesOf({ ...filters[name], ...limit })]) {
      asked = query === '' ? path : `${path.split('?')[0]}?${query}`
      // A shop is named where nobody is logged in.
      const isPublic = query.startsWith('slug=') || !samples[name]?.as.includes('owner')
      const headers = isPublic ? {} : sessionHeaders(tenant.sessions.owner)
      const { status, text } = await asker.ask({ method: 'GET', target: asked, headers })
      if (status !== 200) refused.push(`${asked}: ${status} ${text}`)
    }
  }
  return refused
}

function parametersOf({ query }: { readonly query?: object }): string[] {
  return Object.keys((query as { readonly properties?: object } | undefined)?.properties ?? {})
}

/** The statements that were sent, as PostgreSQL would do them for any values with the rows as they are. */
async function explainSent(): Promise<string[]> {
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(listLarge, [manyRows])
    const large = new Set(rows.map(({ name }) => name))
    expect(large).toContain('receipt')
    const faults: string[] = []
    for (const [text, { name, by }] of sent) {
      if (wholeReads.has(name)) continue
      const whole = await readsWhole(client, text, (table) => large.has(table))
      faults.push(...whole.map((it) => `${name} reads ${it} for ${by}`))
    }
    return faults
  } finally {
    await client.end()
  }
}

/** What is due now is few, and all of it is wanted. */
const listLarge = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > $1
    AND relname <> 'work_due'`

describe('with ten thousand rows of other merchants', () => {
  test('there is a question for every parameter of a read', () => {
    const without = reads().flatMap((route) =>
      parametersOf(route)
        .filter((name) => name !== 'limit' && name !== 'cursor')
        .filter((name) => !filters[nameOfRoute(route)]?.[name])
        .map((name) => `${nameOfRoute(route)} ${name}`),
    )
    expect(without).toEqual([])
  })

  test.skipIf(isOnCluster)(
    'no list, filter or search reads a table or an index from end to end',
    async () => {
      await service.clock.advance(2_000)
      await multiplyRows(service.database.url, tenant.wallet, manyRows * 1.2)
      expect(await askAll()).toEqual([])
      expect(sent.size).toBeGreaterThan(180)
      expect(await explainSent()).toEqual([])
    },
  )
})

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { serverSource } from '../../../../scripts/imports/layers.ts'
import { listFiles, repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { parseSource } from '../../../../scripts/source/parse-source.ts'
import { findStatements } from '../../../../scripts/sql/find-statements.ts'
import { toPositions } from '../../src/platform/database/statement.ts'
import { isOnCluster } from '../support/database/on-cluster.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { perFile } from '../support/per-file.ts'
import { readsWhole, wholeReads } from './reads-whole.ts'

const database = perFile(makeTestDatabase)

const statements = listFiles(repositoryRoot, ['.ts'])
  .filter((path) => path.startsWith(serverSource) && !path.endsWith('.test.ts'))
  .flatMap((path) => {
    const source = parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8'))
    return findStatements(source, createRequire(join(repositoryRoot, path)))
  })
  .filter(({ text = '' }) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text))

test('PostgreSQL takes every statement of the server as it is prepared, on the schema as it is', async () => {
  const refused: string[] = []
  for (const [place, { path, line, text = '' }] of statements.entries()) {
    const prepare = { name: `prepare-${place}`, text: `PREPARE tried AS ${toPositions(text).text}` }
    try {
      await database.pool.transaction(async (tx) => {
        await tx.run(prepare)
        await tx.run({ name: `deallocate-${place}`, text: 'DEALLOCATE tried' })
      })
    } catch (error) {
      refused.push(`${path}:${line}: ${(error as Error).message}`)
    }
  }
  expect(refused).toEqual([])
  expect(statements.length).toBeGreaterThan(300)
})

test.skipIf(isOnCluster)(
  'every statement finds its rows by an index, but for those that are known to read all there are',
  async () => {
    const whole = new Map<string, string>()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      for (const name of otherWays) await client.query(`SET ${name} = off`)
      for (const { name = '', path, line, text = '' } of statements) {
        const parts = await readsWhole(client, toPositions(text).text)
        if (parts.length > 0) whole.set(name, `${path}:${line} reads ${parts.join(' and ')}`)
      }
    } finally {
      await client.end()
    }
    expect([...whole].filter(([name]) => !wholeReads.has(name))).toEqual([])
    expect([...wholeReads.keys()].filter((name) => !whole.has(name))).toEqual([])
  },
)

/** Planner settings to disable: on an empty table the planner prefers a sequential scan to an index. */
const otherWays = [
  'enable_seqscan',
  'enable_hashjoin',
  'enable_mergejoin',
  'enable_material',
  'enable_memoize',
]

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverSource } from '../../../../scripts/imports/layers.ts'
import { listFiles, repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { parseSource } from '../../../../scripts/source/parse-source.ts'
import { findStatements } from '../../../../scripts/sql/find-statements.ts'
import { toPositions } from '../../src/platform/database/statement.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { perFile } from '../support/per-file.ts'

const database = perFile(makeTestDatabase)

test('PostgreSQL takes every statement of the server as it is prepared, on the schema as it is', async () => {
  const refused: string[] = []
  const texts = listFiles(repositoryRoot, ['.ts'])
    .filter((path) => path.startsWith(serverSource) && !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const source = parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8'))
      return findStatements(source, createRequire(join(repositoryRoot, path)))
    })
    .filter(({ text = '' }) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text))
  for (const [place, { path, line, text = '' }] of texts.entries()) {
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
  expect(texts.length).toBeGreaterThan(300)
})

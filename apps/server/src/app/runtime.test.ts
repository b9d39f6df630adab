import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../test/support/database/test-database.ts'
import { perFile } from '../../test/support/per-file.ts'
import { makeLog } from '../platform/log.ts'
import { readConfig } from '../platform/settings/config.ts'
import { openRuntime } from './runtime.ts'

const database = perFile(makeTestDatabase)

test('the database can be looked after while requests wait on all connections that they have', async () => {
  const config = { ...readConfig({}), masterKey: 'a master key', databaseUrl: database.url }
  const { db, watchDb, close } = openRuntime(config, makeLog('silent'), undefined)
  const gate = Promise.withResolvers<void>()
  const begun = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
  const waiting = begun.map(({ resolve }) =>
    db.transaction(async () => {
      resolve()
      await gate.promise
    }),
  )
  await Promise.all(begun.map(({ promise }) => promise))
  expect(await watchDb.row({ name: '', text: 'SELECT true AS is_there' })).toEqual({ is_there: true })
  gate.resolve()
  await Promise.all(waiting)
  await close()
})

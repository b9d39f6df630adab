import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { addMetrics, openMetrics } from '../../../src/app/probes/metrics.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { isDatastoreOutage } from '../../../src/platform/database/degraded.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { perFile } from '../../support/per-file.ts'
import { startProbedService } from './probed-service.ts'

const service = perFile(startProbedService)
beforeEach(() => service.begin())

function open(): Pool {
  const pool = new Pool({ url: service.database.url, log: makeLog('silent'), clock: service.clock })
  onTestFinished(() => pool.close())
  return pool
}

async function setReadOnly(value: 'on' | 'off') {
  const { pathname } = new URL(service.database.url)
  const text = `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value}`
  await service.database.pool.transaction(async (tx) => {
    await tx.run({ name: '', text: 'SET TRANSACTION READ WRITE' })
    await tx.run({ name: '', text })
  })
}

async function ask(pool: Pool) {
  const { clock, chain } = service
  const needs = { db: pool, refusedWrites: pool.refusedWrites }
  const response = await service.readiness(needs)
  const { status, checks } = response.json()
  const metrics = openMetrics({ ...needs, clock, chain, journal: { pendingCount: 0 } })
  const { body } = await service.ask('/metrics', (app) => addMetrics(app, metrics))
  const isWritable = body.match(/^sluice_datastore_writable (.*)$/m)?.[1]
  return { code: response.statusCode, status, writes: checks.databaseWrites, isWritable }
}

const refused = (because: string) => ({
  ...{ code: 200, status: 'degraded', writes: { ok: false, because }, isWritable: '0' },
})
const well = { code: 200, status: 'ready', writes: undefined, isWritable: '1' }

test('200 degraded where the database only reads: what only reads is served, and the probe says what is wrong', async () => {
  await service.see({ latest: 100, cursor: 98 })
  await setReadOnly('on')
  onTestFinished(() => setReadOnly('off'))
  expect(await ask(open())).toEqual(refused('read_only'))
  await setReadOnly('off')
  expect(await ask(open())).toEqual(well)
})

test('200 degraded for a minute after a write found no room on the disk', async () => {
  await service.see({ latest: 100, cursor: 98 })
  const pool = open()
  expect(await ask(pool)).toEqual(well)
  const text = `DO $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`
  const writing = pool.transaction(async (tx) => tx.run({ name: '', text }).catch((error) => error))
  expect(isDatastoreOutage(await writing)).toBe(true)
  expect(await ask(pool)).toEqual(refused('disk_full'))
  await service.clock.advance(60_000)
  await service.begin()
  await service.see({ latest: 100, cursor: 98 })
  expect((await ask(pool)).writes).toBeUndefined()
})

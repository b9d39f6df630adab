import { readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { makeLog } from '../../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts'
import { DirectoryInUse } from '../../../src/platform/process/instance-lock.ts'
import { until } from '../../../src/platform/process/process.ts'
import { findPrograms } from '../../support/kill/parts.ts'
import { spawnLocal } from '../../support/kill/spawn-local.ts'
import { perCase } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

const log = makeLog('silent')
const folder = perCase(() => makeTemporaryFolder('leftover'))

const start = (isThrowaway = true) => startEmbeddedPostgres({ log }, { dataDir: folder.path, isThrowaway })

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
    .query({ text, rowMode: 'array' })
    .then(({ rows }) => rows.flat())
    .finally(() => client.end())
}

const cluster = async () => join(await realpath(join(folder.path, 'postgres')), 'cluster')
const pidFile = async () => join(await cluster(), 'postmaster.pid')
const postmasters = () => findPrograms(folder.path, 'postgres').length

async function leaveOneBehind(): Promise<{ pid: number; url: string }> {
  const service = spawnLocal(folder.path)
  const { databaseUrl } = await service.ready
  await query(databaseUrl, "CREATE TABLE kept AS SELECT 'still here' AS what")
  const pid = Number((await readFile(await pidFile(), 'utf8')).split('\n')[0])
  await service.end('SIGKILL')
  return { pid, url: databaseUrl }
}

test('the PostgreSQL of a killed service is taken over, with its data, and ended with the new one', async () => {
  const left = await leaveOneBehind()
  const postgres = await start()
  expect(postgres.pid).toBe(left.pid)
  expect(postgres.url).toBe(left.url)
  expect(await query(postgres.url, 'SELECT what FROM kept')).toEqual(['still here'])
  await postgres.stop()
  expect(postmasters()).toBe(0)
})

test('one that runs with other settings is ended first, and its data is kept', async () => {
  const left = await leaveOneBehind()
  const postgres = await start(false)
  expect(postgres.pid).not.toBe(left.pid)
  expect(postmasters()).toBe(1)
  expect(await query(postgres.url, 'SHOW fsync')).toEqual(['on'])
  expect(await query(postgres.url, 'SELECT what FROM kept')).toEqual(['still here'])
  await postgres.stop()
})

test('what the killed service had open is ended at the takeover', async () => {
  const { url } = await leaveOneBehind()
  const open = new pg.Client({ connectionString: url, application_name: 'sluice' })
  open.on('error', () => {})
  await open.connect()
  await open.query('BEGIN')
  await open.query('LOCK TABLE kept')
  const postgres = await start()
  expect(await query(postgres.url, 'SELECT what FROM kept')).toEqual(['still here'])
  await postgres.stop()
})

test('a pid file that names a program which is no PostgreSQL is stale', async () => {
  await (await start()).stop()
  const stale = [process.pid, await cluster(), 1, 5432, '', '127.0.0.1', '', 'ready'].join('\n')
  await writeFile(await pidFile(), stale)
  const postgres = await start()
  expect(await query(postgres.url, 'SELECT 1')).toEqual([1])
  await postgres.stop()
})

test('a PostgreSQL that is killed is started again on the same port', async () => {
  const postgres = await start()
  const first = postgres.pid
  process.kill(first, 'SIGKILL')
  expect(await until(() => postgres.pid !== first, 120_000)).toBe(true)
  expect(await query(postgres.url, 'SELECT 1')).toEqual([1])
  expect(postmasters()).toBe(1)
  await postgres.stop()
})

test('a start killed while the cluster is made leaves nothing that looks like one', async () => {
  const listFiles = () => readdir(join(folder.path, 'postgres')).catch(() => [])
  const isMaking = async () => (await listFiles()).some((name) => /^cluster\.new-\w+$/.test(name))
  for (const waitMs of [0, 150, 400]) {
    const service = spawnLocal(folder.path)
    expect(await until(isMaking, 120_000)).toBe(true)
    await until(() => false, waitMs)
    await service.end('SIGKILL')
  }
  const postgres = await start()
  expect(await query(postgres.url, 'SELECT 1')).toEqual([1])
  const names = await readdir(await realpath(join(folder.path, 'postgres')))
  expect(names.filter((name) => name.startsWith('cluster'))).toEqual(['cluster'])
  await postgres.stop()
})

test('a lost password file costs nothing but a new password', async () => {
  const first = await start()
  await query(first.url, "CREATE TABLE kept AS SELECT 'still here' AS what")
  await first.stop()
  await writeFile(join(folder.path, 'postgres', 'access.json'), '')
  const postgres = await start()
  expect(postgres.url).not.toBe(first.url)
  expect(await query(postgres.url, 'SELECT what FROM kept')).toEqual(['still here'])
  await postgres.stop()
})

test('two on one directory are refused, and the message names the process that has it', async () => {
  const postgres = await start()
  await expect(start()).rejects.toThrow(DirectoryInUse)
  await expect(start()).rejects.toThrow(`process ${process.pid}`)
  await postgres.stop()
})

test('it is durable, takes passwords only, and listens on this machine alone', async () => {
  const postgres = await start(false)
  const settings =
    "SELECT setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')"
  expect(await query(postgres.url, settings)).toEqual(['on', 'on', 'on'])
  expect(await query(postgres.url, 'SHOW listen_addresses')).toEqual(['127.0.0.1'])
  const wrong = new URL(postgres.url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/)
  expect(await query(postgres.url, "SELECT lower('ÄÖ')")).toEqual(['äö'])
  await postgres.stop()
})

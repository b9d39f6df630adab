import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from '../../../src/platform/database/database.ts'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { findProgram } from '../programs/run-program.ts'
import { findServicePort } from '../programs/service-port.ts'
import type { TestDatabase } from './test-database.ts'

const run = promisify(execFile)
const versions = '/usr/lib/postgresql'

export function findDebianPostgres(): string | undefined {
  const newest = existsSync(versions)
    ? readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0]
    : undefined
  const folder = newest && join(versions, newest, 'bin')
  return folder && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_basebackup'))
    ? folder
    : undefined
}

/** A cluster as `pg_createcluster` creates it: its settings are outside its data directory. */
export type DebianCluster = {
  readonly url: string
  /** Environment variables by which Debian's and PostgreSQL's tools find the cluster. */
  readonly env: Readonly<Record<'PG_CLUSTER_CONF_ROOT' | 'PGCLUSTER', string>>
  ask(statement: string): Promise<string>
  stop(): Promise<void>
}

/** Returns the reason why this machine cannot create a Debian cluster, or `undefined`. */
export function whyNoDebianCluster(): string | undefined {
  if (!findDebianPostgres() || !findProgram('pg_createcluster'))
    return "needs Debian's packages postgresql and postgresql-common"
  return process.getuid?.() === 0 ? undefined : 'needs root, as its commands do'
}

export async function startDebianCluster(folder: string): Promise<DebianCluster> {
  const home = join(folder, 'cluster')
  mkdirSync(home)
  await run('chown', ['postgres', home])
  const cluster = await createCluster(home, basename(folder))
  await cluster.start()
  await cluster.ask(`CREATE ROLE sluice LOGIN PASSWORD 'sluice'`)
  await cluster.ask('CREATE DATABASE sluice OWNER sluice')
  return cluster
}

/** Starts an asynchronous standby beside the cluster, as `pg_basebackup --write-recovery-conf` sets it up. */
export async function startDebianStandby(folder: string, primary: DebianCluster): Promise<DebianCluster> {
  const standby = await createCluster(join(folder, 'cluster'), `${basename(folder)}-standby`)
  await rm(standby.dataFolder, { recursive: true })
  const copy = ['pg_basebackup', '--write-recovery-conf', '--checkpoint=fast', '--pgdata', standby.dataFolder]
  await run('runuser', ['-u', 'postgres', '--', ...copy], optionsOf(primary.env))
  await standby.start()
  return standby
}

async function createCluster(home: string, name: string) {
  const version = findDebianPostgres()?.split('/').at(-2) ?? ''
  const port = await findServicePort()
  const env = { PG_CLUSTER_CONF_ROOT: join(home, 'etc'), PGCLUSTER: `${version}/${name}` }
  const options = optionsOf(env)
  const dataFolder = join(home, `${name}.data`)
  const places = ['-d', dataFolder, '-s', home, '-l', join(home, `${name}.log`), '-p', String(port)]
  await run('pg_createcluster', [...places, '--start-conf=manual', version, name], options)
  const ctl = (...args: readonly string[]) => run('pg_ctlcluster', [env.PGCLUSTER, ...args], options)
  const psql = ['-u', 'postgres', '--', 'psql', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-tAc']
  return {
    url: `postgres://sluice:sluice@127.0.0.1:${port}/sluice`,
    env,
    dataFolder,
    start: () => ctl('start'),
    ask: async (statement: string) => (await run('runuser', [...psql, statement], options)).stdout.trim(),
    stop: async () => void (await ctl('stop', '-m', 'immediate').catch(() => {})),
  }
}

function optionsOf(env: DebianCluster['env']) {
  return { env: { ...process.env, ...env }, cwd: '/' }
}

/** Opens a database as the service does at its start: it migrates it. `drop` only closes the connections. */
export async function openDebianDatabase(url: string): Promise<TestDatabase> {
  const log = makeLog('error')
  await migrate({ url, log })
  const pool = new Pool({ url, log })
  return { url, pool, drop: () => pool.close() }
}

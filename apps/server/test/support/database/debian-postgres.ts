import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../programs/run-program.ts'
import { findServicePort } from '../programs/service-port.ts'

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
  const version = findDebianPostgres()?.split('/').at(-2) ?? ''
  const name = basename(folder)
  const port = await findServicePort()
  const env = { PG_CLUSTER_CONF_ROOT: join(home, 'etc'), PGCLUSTER: `${version}/${name}` }
  const options = { env: { ...process.env, ...env }, cwd: '/' }
  const places = ['-d', join(home, 'data'), '-s', home, '-l', join(home, 'log'), '-p', String(port)]
  await run('pg_createcluster', [...places, '--start-conf=manual', version, name], options)
  const ctl = (action: string) => run('pg_ctlcluster', [env.PGCLUSTER, action, '-m', 'immediate'], options)
  await run('pg_ctlcluster', [env.PGCLUSTER, 'start'], options)
  const psql = ['-u', 'postgres', '--', 'psql', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-tAc']
  const ask = async (statement: string) => (await run('runuser', [...psql, statement], options)).stdout.trim()
  await ask(`CREATE ROLE sluice LOGIN PASSWORD 'sluice'`)
  await ask('CREATE DATABASE sluice OWNER sluice')
  const url = `postgres://sluice:sluice@127.0.0.1:${port}/sluice`
  return { url, env, ask, stop: async () => void (await ctl('stop').catch(() => {})) }
}

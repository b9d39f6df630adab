import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../apps/server/src/platform/process/process.ts'
import { unprivilegedUser } from '../../apps/server/src/platform/process/unprivileged-user.ts'
import { runCommand } from '../run/run-command.ts'

/** One PostgreSQL of a run. */
export type ScaleNode = {
  readonly port: number
  /** Leads to its maintenance database. */
  readonly url: string
  /** Of its first process. */
  readonly pid: number
  stop(): Promise<void>
}

/** Unsafe on disk: what is measured and tested is not whether a machine may lose its power. */
const settings = (port: number, isCitus: boolean) => `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 400
max_prepared_transactions = 800
max_worker_processes = 64
max_locks_per_transaction = 512
fsync = off
wal_level = logical
${isCitus ? "shared_preload_libraries = 'citus'\ncitus.node_conninfo = 'sslmode=disable'" : ''}
`

/** Starts a PostgreSQL in a folder of its own, as another user where we are root: PostgreSQL refuses to be. */
export async function startNode(
  programs: string,
  folder: string,
  options: { isCitus: boolean },
): Promise<ScaleNode> {
  const port = await findFreePort()
  mkdirSync(folder)
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  if (user) chownSync(folder, user.uid, user.gid)
  const asUser = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  const run = async (program: string, ...args: readonly string[]) => {
    const all = [...(user ? ['setpriv', ...asUser] : []), join(programs, program), ...args]
    const [command = '', ...rest] = all
    // Its home is where libpq looks for certificates.
    const { exitCode, output } = await runCommand(command, rest, { cwd: '/', env: { HOME: folder } })
    if (exitCode !== 0) throw new Error(`${program} failed:\n${output}`)
  }
  const data = join(folder, 'data')
  await run('initdb', '-D', data, '-U', 'sluice', '--auth=trust', '-E', 'UTF8', '--locale=C')
  writeFileSync(join(data, 'postgresql.conf'), settings(port, options.isCitus), { flag: 'a' })
  await run('pg_ctl', 'start', '-D', data, '-w', '-l', join(folder, 'log'))
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    port,
    pid,
    url: `postgres://sluice@127.0.0.1:${port}/postgres`,
    stop: () => run('pg_ctl', 'stop', '-D', data, '-w', '-m', 'immediate').catch(() => {}),
  }
}

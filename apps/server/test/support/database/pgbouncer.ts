import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../../../src/platform/process/process.ts'
import { findProgram } from '../programs/run-program.ts'
import { findServicePort } from '../programs/service-port.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'

export const pgbouncer = findProgram('pgbouncer') ?? findProgram('../sbin/pgbouncer')

export async function startPgbouncer(
  url: string,
  mode: 'session' | 'transaction' | 'statement',
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await makeTemporaryFolder('pgbouncer', { isSearched: false })
  const { hostname, port, username, password, pathname } = new URL(url)
  const ownPort = await findServicePort()
  const file = join(folder.path, 'pgbouncer.ini')
  const settings = `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
auth_type = any
pool_mode = ${mode}
`
  writeFileSync(file, settings, { mode: 0o644 })
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  spawn(pgbouncer ?? '', ['-q', ...asOther, file], { stdio: 'ignore' })
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(ownPort, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  if (!(await until(isUp, 10_000))) throw new Error('PgBouncer did not start')
  return { url: `postgres://${username}@127.0.0.1:${ownPort}${pathname}`, stop: () => folder.remove() }
}

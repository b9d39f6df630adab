import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProcesses, stopProcess } from '../process/process.ts'
import { plainEnvironment } from '../process/unprivileged-user.ts'
import type { PostgresHome } from './home.ts'

export const roleName = 'sluice'

const majorVersion = '18'

/**
 * Returns the cluster in `home`. Creates it if it is missing.
 *
 * A new cluster is moved into place when it is complete and on disk, so a killed start leaves nothing that
 * looks like one. An aborted start leaves nothing at all.
 */
export async function prepareCluster(
  home: PostgresHome,
  binDir: string,
  password: string,
  options: { isThrowaway?: boolean; stop?: AbortSignal | undefined } = {},
): Promise<string> {
  const cluster = join(home.path, 'cluster')
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version !== undefined) {
    if (version.trim() === majorVersion) return cluster
    throw new Error(
      `${cluster} was created by PostgreSQL ${version.trim()}, but this release runs ${majorVersion}: ` +
        'dump it with its old version and restore it into a new data directory (docs/database.md)',
    )
  }
  await removeDrafts(home.path)
  const draft = join(home.path, `cluster.new-${randomBytes(4).toString('hex')}`)
  const passwordFile = `${draft}.password`
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' })
  try {
    if (home.user) await chown(passwordFile, home.user.uid, home.user.gid)
    const args = [
      `--pgdata=${draft}`,
      `--username=${roleName}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(options.isThrowaway ? ['--no-sync'] : []),
    ]
    await run(home, join(binDir, 'initdb'), args, { stop: options.stop })
  } catch (error) {
    await removeDraft(draft)
    throw error
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, cluster)
  await syncFolder(home.path)
  return cluster
}

/** Sets the role's password without the old one. PostgreSQL must not be running. */
export async function resetPassword(
  home: PostgresHome,
  binDir: string,
  cluster: string,
  password: string,
): Promise<void> {
  const statement = `ALTER ROLE ${roleName} PASSWORD '${password}'\n`
  await run(home, join(binDir, 'postgres'), ['--single', '-D', cluster, 'postgres'], { input: statement })
}

/** Ends an `initdb` that outlived its start, then removes its draft. */
async function removeDrafts(home: string): Promise<void> {
  const orphans = findProcesses(({ args }) =>
    args.some((arg) => arg.startsWith(`--pgdata=${home}/cluster.new-`)),
  )
  await Promise.all(orphans.map((orphan) => stopProcess(orphan, [{ signal: 'SIGKILL', waitMs: 5_000 }])))
  for (const name of await readdir(home))
    if (name.startsWith('cluster.new-')) await removeDraft(join(home, name))
}

function removeDraft(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Runs a program to completion. An abort kills the program and its children. */
async function run(
  home: PostgresHome,
  program: string,
  args: readonly string[],
  { input = '', stop }: { input?: string; stop?: AbortSignal | undefined } = {},
): Promise<void> {
  stop?.throwIfAborted()
  const child = spawn(program, args, {
    detached: true,
    ...(home.user && { uid: home.user.uid, gid: home.user.gid }),
    env: plainEnvironment(),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output = (output + text).slice(-4_000)
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const kill = () => killGroup(child.pid)
  stop?.addEventListener('abort', kill, { once: true })
  const ended = once(child, 'close').finally(() => stop?.removeEventListener('abort', kill))
  const [code] = (await ended) as [number | null]
  stop?.throwIfAborted()
  if (code !== 0) throw new Error(`${program} failed (exit ${code}):\n${output.trim()}`)
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

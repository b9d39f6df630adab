import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readlink, realpath, rename, rmdir, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { succeeds, type UserIds, unprivilegedUser } from '../process/unprivileged-user.ts'
import { stopLeftover } from './leftover.ts'

export type PostgresHome = {
  readonly path: string
  /** Set only if the service runs as root, which PostgreSQL refuses. */
  readonly user: UserIds | undefined
}

const reachableParent = '/var/lib/sluice'

/**
 * Returns the folder `postgres` in the data directory. Creates it if it is missing.
 *
 * If the service runs as root, the folder belongs to an unprivileged user. If that user cannot reach the data
 * directory (inside a home directory with mode 0700), `postgres` is a link to a folder under /var/lib. That
 * folder is named after the data directory. If a deleted data directory is created again, its former folder
 * is moved away.
 */
export async function preparePostgresHome(needs: { log: Log }, dataDir: string): Promise<PostgresHome> {
  const directory = await realpath(dataDir)
  const place = join(directory, 'postgres')
  const found = await findHome(place)
  if (process.getuid?.() !== 0) {
    if (!found) await mkdir(place, { mode: 0o700 })
    return { path: found?.path ?? place, user: undefined }
  }
  if (found && found.owner.uid !== 0) {
    if (await canEnter(found.path, found.owner)) return { path: found.path, user: found.owner }
    throw new Error(
      `${found.path} belongs to user ${found.owner.uid}, who runs PostgreSQL but can no longer access it: ` +
        'give that user access to its parent folders, or move the data directory',
    )
  }
  const user = await unprivilegedUser()
  if (!found) await mkdir(place, { mode: 0o700 })
  await chown(found?.path ?? place, user.uid, user.gid)
  if (await canEnter(place, user)) {
    needs.log.info(
      { user: user.name, folder: place },
      'PostgreSQL does not run as root; running it as another user',
    )
    return { path: await realpath(place), user }
  }
  if (!found) await rmdir(place)
  const path = await makeReachableHome(needs, directory, user)
  await symlink(path, place)
  needs.log.warn(
    { user: user.name, folder: path },
    `the user that runs PostgreSQL cannot access ${directory}; the database is stored in ${path}`,
  )
  return { path, user }
}

async function findHome(place: string): Promise<{ path: string; owner: UserIds } | undefined> {
  const entry = await lstat(place).catch(() => undefined)
  if (!entry) return undefined
  const path = await realpath(place).catch(async () => {
    throw new Error(
      `${place} links to ${await readlink(place)}, which no longer exists; delete the link to start over`,
    )
  })
  const { uid, gid } = await stat(path)
  return { path, owner: { uid, gid } }
}

async function makeReachableHome(needs: { log: Log }, directory: string, user: UserIds): Promise<string> {
  const slug = directory
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(-60)
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 8)
  const path = join(reachableParent, `${slug}-${hash}`)
  await mkdir(reachableParent, { recursive: true, mode: 0o755 })
  if (await lstat(path).catch(() => undefined)) {
    await stopLeftover(join(path, 'cluster'))
    const deferred = `${path}.before-${Math.floor(performance.timeOrigin)}`
    await rename(path, deferred)
    needs.log.warn(
      { deferred },
      'the data directory is new; the database of a previous one at the same path was moved',
    )
  }
  await mkdir(path, { mode: 0o700 })
  await chown(path, user.uid, user.gid)
  if (!(await canEnter(path, user))) throw new Error(`${path} is not accessible to user ${user.uid}`)
  return path
}

function canEnter(path: string, user: UserIds): Promise<boolean> {
  return succeeds('/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', path], user)
}

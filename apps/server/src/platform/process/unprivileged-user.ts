import { execFile, execFileSync } from 'node:child_process'
import { until } from './process.ts'

export type UserIds = { readonly uid: number; readonly gid: number }

const ownUserName = 'sluice-postgres'

const waysToMakeAUser: readonly (readonly [string, readonly string[]])[] = [
  [
    'useradd',
    [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/bin/false',
      ownUserName,
    ],
  ],
  ['adduser', ['-S', '-D', '-H', '-h', '/nonexistent', '-s', '/bin/false', ownUserName]],
]

/** Returns the user for programs that refuse root: `sluice-postgres`, created if possible, or another one. */
export async function unprivilegedUser(): Promise<UserIds & { readonly name: string }> {
  const own = lookUp(ownUserName)
  if (own) return own
  for (const [program, args] of waysToMakeAUser) await succeeds(program, args)
  // Another start may be creating the same user: the files are locked in the meantime.
  await until(() => lookUp(ownUserName) !== undefined, 1_000)
  const found = lookUp(ownUserName) ?? lookUp('postgres') ?? lookUp('nobody')
  if (!found)
    throw new Error(
      `PostgreSQL does not run as root, and no user "${ownUserName}" could be created to run it`,
    )
  return found
}

export function succeeds(program: string, args: readonly string[], user?: UserIds): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ...(user && { uid: user.uid, gid: user.gid }), env: plainEnvironment(), cwd: '/' }
    execFile(program, args, options, (error) => resolve(error === null))
  })
}

/** Returns an environment without our settings, which contain secrets. */
export function plainEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

function lookUp(name: string): (UserIds & { name: string }) | undefined {
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  try {
    return { name, uid: ask('-u'), gid: ask('-g') }
  } catch {
    return undefined
  }
}

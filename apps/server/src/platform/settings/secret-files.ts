import { readFileSync, statSync } from 'node:fs'

export function fileSettingOf(name: string): string {
  return `${name}_FILE`
}

const maxBytes = 64 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns `env` with the contents of the files that `…_FILE` settings name, and the errors.
 *
 * A trailing line break is removed. An error names the setting and the reason, never the content.
 *
 * @param secretSettings - Settings that may be given as files.
 */
export function readSecretFiles(
  env: Environment,
  secretSettings: readonly string[],
): { env: Environment; errors: string[] } {
  const errors: string[] = []
  const read: Record<string, string> = {}
  for (const name of secretSettings) {
    const setting = fileSettingOf(name)
    const path = env[setting]?.trim()
    if (!path) continue
    if (env[name]?.trim()) {
      errors.push(`${setting} and ${name} are both set: remove one of them`)
      continue
    }
    const found = readSecretFile(path)
    if ('error' in found) errors.push(`${setting} ${found.error}`)
    else read[name] = found.text
  }
  return { env: { ...env, ...read }, errors }
}

function readSecretFile(path: string): { text: string } | { error: string } {
  try {
    const about = statSync(path)
    // Reading a pipe or a device may never end.
    if (!about.isFile()) return { error: 'does not name a file' }
    if (about.size > maxBytes) return { error: `names a file larger than ${maxBytes / 1024} KiB` }
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    return text.trim() === '' ? { error: 'names an empty file' } : { text }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { error: 'names a file that does not exist' }
    if (code === 'EACCES') return { error: 'names a file that this user is not allowed to read' }
    return { error: `names a file that cannot be read (${code ?? 'unknown reason'})` }
  }
}

import type { Setting } from '../apps/server/src/platform/settings/setting.ts'

const head = `# Every setting of Sluice. None is needed on a developer's machine.
# Copy this file to .env and fill in what you need; what is empty keeps its default.
# A value in the environment stands above one in the file.
# What is a secret may be given as NAME_FILE instead: the path of a file that holds the value.
`

/** The text of `.env.example`: each setting, empty, below what it does; a secret with the file it may stand in. */
export function writeEnvExample(settings: Readonly<Record<string, Setting>>): string {
  return head + Object.entries(settings).map(write).join('')
}

function write([name, setting]: [string, Setting]): string {
  const { help, isSecret, default: value } = setting
  const standing = typeof value === 'string' && value !== '' ? ` (default ${value})` : ''
  return `\n# ${help}${standing}\n${name}=\n${isSecret ? `${name}_FILE=\n` : ''}`
}

import type { Setting } from '../apps/server/src/platform/settings/setting.ts'

const head = `# All settings of Sluice. None is required on a developer's machine.
# Copy this file to .env and fill in what you need; empty settings keep their defaults.
# A value in the environment takes precedence over one in the file.
# A secret can be set as NAME_FILE instead: the path of a file that contains the value.
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

import type { Setting } from '../apps/server/src/platform/settings/setting.ts'
import { settings } from '../apps/server/src/platform/settings/settings.ts'
import { writeOrCheck } from './source/write-or-check.ts'

const head = `# All settings of Sluice. None is required on a developer's machine.
# Copy this file to .env and fill in what you need; empty settings keep their defaults.
# A value in the environment takes precedence over one in the file.
# A secret can be set as NAME_FILE instead: the path of a file that contains the value.
`

writeOrCheck({ '.env.example': head + Object.entries<Setting>(settings).map(write).join('') })

/** Returns an empty setting below its description. A secret also gets its `_FILE` variant. */
function write([name, { help, isSecret, default: value }]: [string, Setting]): string {
  const standing = typeof value === 'string' && value !== '' ? ` (default ${value})` : ''
  return `\n# ${help}${standing}\n${name}=\n${isSecret ? `${name}_FILE=\n` : ''}`
}

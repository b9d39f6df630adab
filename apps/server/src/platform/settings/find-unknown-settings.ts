import { nearestName } from '../../kernel/text/nearest-name.ts'
import { fileSettingOf } from './secret-files.ts'
import { secretSettings, settingNames } from './settings.ts'

/** What programs that call the service are told by; no settings of the service, and no faults beside them. */
const namesOfClients: ReadonlySet<string> = new Set(['SLUICE_URL', 'SLUICE_KEY'])

/** Every name that is read, those of files included. */
const knownNames: readonly string[] = [...settingNames, ...secretSettings.map(fileSettingOf)]

/** A fault for each name that begins as ours do and is none of them, with the one it may be meant for. */
export function findUnknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SLUICE_') && !knownNames.includes(name) && !namesOfClients.has(name))
    .map((name) => {
      const meant = nearestSetting(name)
      return `${name} is not a setting${meant ? `; did you mean ${meant}?` : ''}`
    })
}

/** The setting that a name with our prefix may be meant for: ours misspelt, or another one that has no prefix. */
function nearestSetting(name: string): string | undefined {
  return nearestName(name, knownNames) ?? nearestName(name.replace(/^SLUICE_/, ''), knownNames)
}

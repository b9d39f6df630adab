import { nearestName } from '../../kernel/text/nearest-name.ts'
import { fileSettingOf, readSecretFiles } from './secret-files.ts'
import type { Above } from './setting.ts'
import { rowOf, type SettingValues, secretSettings, settingNames } from './settings.ts'
import { validateValues } from './validate-values.ts'

type TracingSetting = 'traceEndpoint' | 'traceHeaders' | 'traceServiceName' | 'traceRatio'

export type Config = Omit<SettingValues, TracingSetting> & {
  readonly tracing: Tracing | undefined
}

export type Tracing = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly ratio: number
}

export class ConfigError extends Error {
  readonly errors: readonly string[]

  constructor(errors: readonly string[]) {
    super(`Invalid settings:\n${errors.map((error) => `  - ${error}`).join('\n')}`)
    this.name = 'ConfigFault'
    this.errors = errors
  }
}

/**
 * Reads the configuration from the environment and from the files that it names.
 *
 * @throws {ConfigFault} that lists all errors.
 */
export function readConfig(given: Readonly<Record<string, string | undefined>>): Config {
  const { env, errors } = readSecretFiles(given, secretSettings)
  errors.push(...findUnknownSettings(env))
  const values = readValues(env, errors)
  errors.push(...validateValues(values, env))
  if (errors.length > 0) throw new ConfigError(errors)
  const { traceEndpoint, traceHeaders, traceServiceName, traceRatio, ...config } = values
  const tracing =
    traceEndpoint === undefined
      ? undefined
      : { endpoint: traceEndpoint, headers: traceHeaders, serviceName: traceServiceName, ratio: traceRatio }
  return { ...config, tracing }
}

function readValues(env: Readonly<Record<string, string | undefined>>, errors: string[]): SettingValues {
  const values: Record<string, unknown> = {}
  for (const name of settingNames) {
    const { as, read, default: standIn } = rowOf(name)
    const text = env[name]?.trim()
    const sent = text ? read(text, (why) => void errors.push(`${name} ${why}`)) : undefined
    // A default may depend only on rows above its own.
    const fallback = typeof standIn === 'function' ? standIn(values as Above) : standIn
    values[as] = sent ?? (fallback === undefined ? undefined : read(fallback, () => {}))
  }
  return values as SettingValues
}

/** Settings of API clients, which the service ignores without an error. */
const namesOfClients: ReadonlySet<string> = new Set(['SLUICE_URL', 'SLUICE_KEY'])

const knownNames: readonly string[] = [...settingNames, ...secretSettings.map(fileSettingOf)]

export function findUnknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SLUICE_') && !knownNames.includes(name) && !namesOfClients.has(name))
    .map((name) => {
      const meant = nearestSetting(name)
      return `${name} is not a setting${meant ? `; did you mean ${meant}?` : ''}`
    })
}

/** Returns the setting that a name may refer to: a misspelled name, or a name without its prefix. */
function nearestSetting(name: string): string | undefined {
  return nearestName(name, knownNames) ?? nearestName(name.replace(/^SLUICE_/, ''), knownNames)
}

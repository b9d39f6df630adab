import { nearestName } from '../../kernel/text/nearest-name.ts'
import { judgeValues } from './judge-values.ts'
import { fileSettingOf, readSecretFiles } from './secret-files.ts'
import type { Above } from './setting.ts'
import { rowOf, type SettingValues, secretSettings, settingNames } from './settings.ts'

type TracingSetting = 'traceEndpoint' | 'traceHeaders' | 'traceServiceName' | 'traceRatio'

/** Everything the process is told from outside, read once at the start: the rows of `settings`, by their `as`. */
export type Config = Omit<SettingValues, TracingSetting> & {
  /** Where traces go; `undefined` follows nothing. */
  readonly tracing: Tracing | undefined
}

/** How traces are sent: OTLP over HTTP. */
export type Tracing = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The part of requests followed, from 0 to 1. */
  readonly ratio: number
}

/** A start refused for its settings, with every fault found. */
export class ConfigFault extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigFault'
    this.faults = faults
  }
}

/**
 * The configuration in the environment and in the files that it names.
 *
 * @throws {ConfigFault} listing all faults together.
 */
export function readConfig(given: Readonly<Record<string, string | undefined>>): Config {
  const { env, faults } = readSecretFiles(given, secretSettings)
  faults.push(...findUnknownSettings(env))
  const values = readValues(env, faults)
  faults.push(...judgeValues(values, env))
  if (faults.length > 0) throw new ConfigFault(faults)
  const { traceEndpoint, traceHeaders, traceServiceName, traceRatio, ...config } = values
  const tracing =
    traceEndpoint === undefined
      ? undefined
      : { endpoint: traceEndpoint, headers: traceHeaders, serviceName: traceServiceName, ratio: traceRatio }
  return { ...config, tracing }
}

/** Each setting by its row; its default in place of what is absent or wrong. */
function readValues(env: Readonly<Record<string, string | undefined>>, faults: string[]): SettingValues {
  const values: Record<string, unknown> = {}
  for (const name of settingNames) {
    const { as, read, default: standIn } = rowOf(name)
    const text = env[name]?.trim()
    const sent = text ? read(text, (why) => void faults.push(`${name} ${why}`)) : undefined
    // Rows are in an order in which all that a default follows from stands above it.
    const fallback = typeof standIn === 'function' ? standIn(values as Above) : standIn
    values[as] = sent ?? (fallback === undefined ? undefined : read(fallback, () => {}))
  }
  return values as SettingValues
}

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

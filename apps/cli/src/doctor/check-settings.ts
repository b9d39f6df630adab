import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '@sluice/server/src/platform/settings/config.ts'
import type { Environment, Input } from '../../../../packages/cli/src/command.ts'
import { dataDirOf, readLocal } from '../../../../packages/cli/src/settings.ts'
import { broken, doubtful, type Finding, fine } from './finding.ts'

export function checkSettings(
  env: Environment,
  input: Input,
): { config: Config | undefined; findings: Finding[] } {
  const dataDir = dataDirOf(env, input)
  try {
    const config = readConfig({ ...env, DATA_DIR: dataDir })
    const mode = config.isProduction ? 'production' : 'development'
    const text = `${mode} on chain ${config.chainId}, ${config.baseUrl}`
    return { config, findings: [fine('settings', text), ...checkLocalFile(dataDir, env, input)] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'Correct them in the environment or in .env; .env.example describes each.'
    return { config: undefined, findings: error.errors.map((reason) => broken('settings', reason, advice)) }
  }
}

function checkLocalFile(dataDir: string, env: Environment, input: Input): Finding[] {
  if (!readLocal(env, input)) return []
  const path = join(dataDir, 'local.json')
  const others = statSync(path).mode & 0o077
  return others === 0
    ? [fine('local.json', `${path}, readable only by you`)]
    : [doubtful('local.json', `others can read ${path}`, `It contains keys: chmod 600 ${path}`)]
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '@sluice/server/src/kernel/clock.ts'
import type { Random } from '@sluice/server/src/kernel/random.ts'
import type { Database } from '@sluice/server/src/platform/database/database.ts'
import type { Secrets } from '@sluice/server/src/platform/secrets.ts'
import type { Config } from '@sluice/server/src/platform/settings/config.ts'
import type { Environment, Input } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { dataDirOf, readLocal } from '../../../../packages/cli/src/settings.ts'

export type Operator = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly chainId: number
}

/**
 * Runs `work` on the service's database, with the service's settings. Possession of the master key is
 * sufficient authorization.
 *
 * @param formerMasterKeys - Additional keys that decrypt and verify older data.
 * @throws {CliFailure} with exit code 2 if settings are missing, 3 if the database is unreachable.
 */
export async function withOperator<T>(
  env: Environment,
  input: Input,
  work: (operator: Operator) => Promise<T>,
  formerMasterKeys: readonly string[] = [],
): Promise<T> {
  // Imported on demand: most commands do not need these slow modules.
  const [
    { systemClock },
    { systemRandom },
    { Pool },
    { makeLog },
    { Secrets },
    { requireMasterKey, secretsOf },
    { ConfigError },
    { explainConnect },
  ] = await Promise.all([
    import('@sluice/server/src/kernel/clock.ts'),
    import('@sluice/server/src/kernel/random.ts'),
    import('@sluice/server/src/platform/database/database.ts'),
    import('@sluice/server/src/platform/log.ts'),
    import('@sluice/server/src/platform/secrets.ts'),
    import('@sluice/server/src/app/secrets/require-master-key.ts'),
    import('@sluice/server/src/platform/settings/config.ts'),
    import('@sluice/server/src/platform/database/opening/explain-database.ts'),
  ])
  const config = await readServiceConfig(env, input)
  const url = databaseUrlOf(config, env, input)
  const db = new Pool({ url, log: makeLog('silent'), max: 2 })
  try {
    await db.row(ping).catch((error: Error) => {
      throw new CliFailure(
        exitCodes.unreachable,
        `The database is unavailable: ${explainConnect(error, url).message}`,
        'Is the service running? The database of a local service is only available while it runs.',
        'unreachable',
      )
    })
    const masterKey = masterKeyOf(config, env, input)
    const own = secretsOf({ ...config, masterKey }, systemRandom)
    await requireMasterKey({ db, clock: systemClock, secrets: own }, config.chainId).catch((error: Error) => {
      if (error instanceof ConfigError) throw usageError(error.message, 'Use the settings of the service.')
      throw error
    })
    const old = [...(config.oldMasterKey ? [config.oldMasterKey] : []), ...formerMasterKeys]
    const secrets = new Secrets(masterKey, systemRandom, old)
    return await work({ db, clock: systemClock, random: systemRandom, secrets, chainId: config.chainId })
  } finally {
    await db.close()
  }
}

/** @throws {CliFailure} with exit code 2, listing every error in the settings. */
export async function readServiceConfig(env: Environment, input: Input): Promise<Config> {
  const { ConfigError, readConfig } = await import('@sluice/server/src/platform/settings/config.ts')
  try {
    return readConfig({ ...env, DATA_DIR: dataDirOf(env, input) })
  } catch (error) {
    if (error instanceof ConfigError) throw usageError(error.message, 'See .env.example for every setting.')
    throw error
  }
}

export function databaseUrlOf(config: Config, env: Environment, input: Input): string {
  const url = config.databaseUrl ?? readLocal(env, input)?.databaseUrl
  if (url) return url
  throw usageError(
    `There is no database: DATABASE_URL is not set, and there is no local service in ${dataDirOf(env, input)}`,
    'Run this on the machine of the service with its settings, or start a local one with `npm start`.',
  )
}

/**
 * Returns the merchant given by `--merchant`, or else the local service's demo merchant.
 *
 * @throws {CliFailure} with exit code 2.
 */
export async function merchantOf(env: Environment, input: Input): Promise<Wallet> {
  const text = input.text('merchant') ?? readLocal(env, input)?.merchant.address
  if (text === undefined) throw usageError('--merchant is missing', '`merchant list` shows their wallets.')
  return readWallet(text, '--merchant')
}

/** @throws {CliFailure} with exit code 2. */
export async function readWallet(text: string, what: string): Promise<Wallet> {
  const { parseWallet } = await import('@sluice/protocol/wallet.ts')
  const wallet = parseWallet(text)
  if (!wallet) throw usageError(`${what} must be a wallet: 0x followed by 40 hexadecimal digits`)
  return wallet
}

function masterKeyOf(config: Config, env: Environment, input: Input): string {
  const path = join(dataDirOf(env, input), 'master.key')
  const key = config.masterKey ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined)
  if (key !== undefined) return key
  throw usageError('SLUICE_MASTER_KEY is not set', 'It encrypts the keys: set it to the one of the service.')
}

const ping = { name: 'cli-ping', text: 'SELECT 1' }

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalJson, localWallet } from '../../../src/local/local-settings.ts'
import { registerSecrets } from './secret-register.ts'

/** Registers the secrets that a local service has stored in its data directory so far. */
export function registerLocalSecrets(dataDir: string): void {
  const masterKey = readIfThere(join(dataDir, 'master.key'))?.trim()
  const local = readIfThere(join(dataDir, 'local.json'))
  const { subscriptionKey } = local === undefined ? {} : (JSON.parse(local) as Partial<LocalJson>)
  registerSecrets(masterKey, subscriptionKey)
  if (masterKey === undefined) return
  const roles = ['merchant', 'buyer', 'deployer', 'keeper', 'platform', 'partner', 'treasury'] as const
  registerSecrets(...roles.map((role) => localWallet(masterKey, role).privateKey))
}

function readIfThere(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) && readFileSync(path, 'utf8')
}

import { hkdfSync } from 'node:crypto'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { OnrampProvider } from '../provider.ts'
import { makeSandboxProvider } from './sandbox-provider.ts'

type SandboxConfig = Pick<Config, 'sandboxTreasuryKey' | 'isProduction' | 'chainId' | 'baseUrl'> & {
  readonly masterKey: string
}

/**
 * Returns whether the card sandbox is enabled. The sandbox requires a treasury key, and is never available in
 * production or on a live network.
 */
export function hasSandbox(config: Omit<SandboxConfig, 'baseUrl' | 'masterKey'>): boolean {
  const network = findNetwork(config.chainId)
  return config.sandboxTreasuryKey !== undefined && !config.isProduction && network?.use !== 'live'
}

export function openSandbox(
  needs: { readonly db: Database; readonly clock: Clock },
  config: SandboxConfig,
): OnrampProvider | undefined {
  if (!hasSandbox(config)) return undefined
  const { db, clock } = needs
  return makeSandboxProvider({ db, clock, baseUrl: config.baseUrl, secret: sandboxSecret(config.masterKey) })
}

/** Returns the HMAC key of sandbox events, derived from the master key of the deployment. */
export function sandboxSecret(masterKey: string): string {
  return Buffer.from(hkdfSync('sha256', masterKey, 'sluice card sandbox', 'events', 32)).toString('hex')
}

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

/** Whether cards are played with here: a treasury is named, and nothing that is paid here is worth anything. */
export function hasSandbox(config: Omit<SandboxConfig, 'baseUrl' | 'masterKey'>): boolean {
  const network = findNetwork(config.chainId)
  return config.sandboxTreasuryKey !== undefined && !config.isProduction && network?.use !== 'live'
}

/** The sandbox, where there is to be one. */
export function openSandbox(
  needs: { readonly db: Database; readonly clock: Clock },
  config: SandboxConfig,
): OnrampProvider | undefined {
  if (!hasSandbox(config)) return undefined
  const { db, clock } = needs
  return makeSandboxProvider({ db, clock, baseUrl: config.baseUrl, secret: sandboxSecret(config.masterKey) })
}

/** What the sandbox signs its events with: every process of a deployment has the same, and no other one has it. */
export function sandboxSecret(masterKey: string): string {
  return Buffer.from(hkdfSync('sha256', masterKey, 'sluice card sandbox', 'events', 32)).toString('hex')
}

import { api, carryCsrfToken, contentOf } from '../api/client.ts'
import type { Session } from './log-in.ts'

const keyOf = (wallet: string) => `sluice.merchant.${wallet.toLowerCase()}`
/** Stored value for the platform, which has no wallet. */
const platform = 'platform'

export function keepLastMerchant({ wallet, merchantWallet }: Session): void {
  try {
    localStorage.setItem(keyOf(wallet), merchantWallet ?? platform)
  } catch {
    // Storage is full or blocked. The next sign-in uses the wallet's own merchant.
  }
}

/**
 * Switches a new session to the merchant that its wallet used last. Returns the session unchanged if that
 * fails.
 */
export async function forLastMerchant(session: Session): Promise<Session> {
  const kept = readLast(session.wallet)
  if (kept === null || kept === (session.merchantWallet ?? platform)) return session
  carryCsrfToken(session.csrfToken)
  const body = { merchantWallet: kept === platform ? null : kept }
  return contentOf(api.POST('/api/auth/merchant', { body })).catch(() => session)
}

function readLast(wallet: string): string | null {
  try {
    return localStorage.getItem(keyOf(wallet))
  } catch {
    return null
  }
}

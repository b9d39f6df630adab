import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findOwnFinality } from '../../merchants/find-settings.ts'
import type { Database } from '../../platform/database/database.ts'
import type { FinalityPolicy } from './finality.ts'

/**
 * What decides how sure a merchant's payments and refunds have to be: its own amounts where it has set any, the
 * deployment's otherwise. The deployment's minimum holds for everybody.
 */
export async function findPolicy(
  db: Database,
  deployment: FinalityPolicy,
  merchant: Wallet,
): Promise<FinalityPolicy> {
  return { ...deployment, ...(await findOwnFinality(db, merchant)) }
}

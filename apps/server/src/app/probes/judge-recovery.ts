import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { isSeedConfirmed } from '../../payments/attempts/recovery-seed.ts'
import { findLastFound } from '../../payments/recovery/lost-time-store.ts'
import type { Database } from '../../platform/database/database.ts'

/** Duration of the warning that the database is older than the chain. */
const foundShownMs = 86_400_000

/** Checks that the operator has confirmed the recovery seed, and that no lost payment was found in the last day. */
export async function judgeRecovery(db: Database, chain: number, now: number) {
  const [isConfirmed, foundAt] = await Promise.all([isSeedConfirmed(db), findLastFound(db, chain)])
  const isOlder = foundAt !== undefined && now - foundAt <= foundShownMs
  return {
    // A local service holds nobody's money.
    ok: (isConfirmed || isLocalNetwork(chain)) && !isOlder,
    isSeedConfirmed: isConfirmed,
    ...(foundAt !== undefined && { databaseIsOlder: new Date(foundAt).toISOString() }),
  }
}

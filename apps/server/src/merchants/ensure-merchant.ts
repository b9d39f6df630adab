import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database.ts'

/** Makes the merchant of a wallet where there is none yet; one that exists keeps its name. */
export async function ensureMerchant(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  name: string,
): Promise<void> {
  await needs.db.run(ensure, [merchant, name, needs.clock.now()])
}

const ensure = {
  name: 'ensure-merchant',
  text: 'INSERT INTO merchant (merchant, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (merchant) DO NOTHING',
}

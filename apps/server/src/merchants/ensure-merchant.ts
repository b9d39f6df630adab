import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { upsertMember } from './member-store.ts'

/**
 * Makes the merchant of a wallet where there is none yet, with the wallet as its owner. One that exists
 * keeps its name and its members.
 */
export async function ensureMerchant(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  name: string,
): Promise<void> {
  const createdAt = needs.clock.now()
  await needs.db.transaction(async (tx) => {
    const isNew = (await tx.run(ensure, [merchant, name, createdAt])) === 1
    if (isNew) await upsertMember(tx, merchant, { wallet: merchant, role: 'owner', createdAt })
  })
}

const ensure = {
  name: 'ensure-merchant',
  text: 'INSERT INTO merchant (merchant, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (merchant) DO NOTHING',
}

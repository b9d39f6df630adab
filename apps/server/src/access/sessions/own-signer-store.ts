import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'

/** Whether a wallet has ever logged in by a key of its own. */
export async function isOwnSigner(db: Database, wallet: Wallet): Promise<boolean> {
  return (await db.row<{ wallet: string }>(find, [wallet])) !== undefined
}

/** Records that a wallet has a key of its own; safe to repeat. */
export async function recordOwnSigner(tx: Database, wallet: Wallet, at: UnixMs): Promise<void> {
  await tx.run(insert, [wallet, at])
}

const find = { name: 'find-own-signer', text: 'SELECT wallet FROM own_signer WHERE wallet = $1' }

const insert = {
  name: 'insert-own-signer',
  text: 'INSERT INTO own_signer (wallet, first_at) VALUES ($1, $2) ON CONFLICT (wallet) DO NOTHING',
}

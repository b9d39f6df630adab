import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** Whether a wallet has ever logged in by a key of its own. */
export async function isOwnSigner(db: Database, wallet: Wallet): Promise<boolean> {
  return (await db.row(find({ wallet }))) !== undefined
}

/** Records that a wallet has a key of its own; safe to repeat. */
export async function recordOwnSigner(tx: Database, wallet: Wallet, at: UnixMs): Promise<void> {
  await tx.run(insert({ wallet, at }))
}

const find = statement({
  name: 'find-own-signer',
  reads: { wallet: text() },
  text: 'SELECT wallet FROM own_signer WHERE wallet = :wallet',
})

const insert = statement({
  name: 'insert-own-signer',
  text: 'INSERT INTO own_signer (wallet, first_at) VALUES (:wallet, :at) ON CONFLICT (wallet) DO NOTHING',
})

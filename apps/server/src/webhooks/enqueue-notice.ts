import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'

export type NewNotice = {
  merchant: Wallet
  subject: string
  brandKey: string
  url: string
  keyId: string
  sealedKey: string
  idempotencyKey: string
  sequence: bigint
  body: string
}
export declare function enqueueNotice(
  needs: { tx: Database; clock: Clock; random: Random },
  notice: NewNotice,
): Promise<void>

import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import { hashApiKey, hintOfApiKey, type Mode, makeApiKey } from './api-key.ts'
import { insertApiKey } from './key-store.ts'

export async function issueKey(
  needs: { clock: Clock; random: Random; secrets: Secrets },
  tx: Database,
  merchant: Wallet,
  slot: {
    subscriptionId: string
    slot: 'primary' | 'secondary'
    mode: Mode
    madeBy?: Wallet | undefined
  },
): Promise<string> {
  const now = needs.clock.now()
  const key = makeApiKey(slot.mode, needs.random)
  const id = generateId(now, needs.random)
  await insertApiKey(tx, {
    merchant,
    id,
    subscriptionId: slot.subscriptionId,
    slot: slot.slot,
    madeBy: slot.madeBy,
    encrypted: needs.secrets.encrypt(key, apiKeyContext(merchant, id)),
    hint: hintOfApiKey(key),
    hash: hashApiKey(key),
    createdAt: now,
  })
  return key
}

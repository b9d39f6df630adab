import type { Hex } from '../../src/chain/chain.ts'
import type { Database } from '../../src/platform/database/database.ts'
import type { World } from './world.ts'

/**
 * Returns a signed payment that is still open when nothing fails any more, or that says it moved the money
 * although the chain does not have its transaction.
 */
export async function findRelayUnrest(world: World, db: Database): Promise<string | undefined> {
  if (!world.relaying) return undefined
  for (const { payer, receipt, state, hash, isOpen } of await db.rows<Relay>(relays)) {
    if (isOpen) return `the signed payment of ${receipt} by ${payer} is still ${state}`
    if (state === 'mined' && !(hash && world.findMined(hash)?.isSuccess))
      return `the signed payment of ${receipt} is mined in ${hash}, which the chain does not have`
  }
  return undefined
}

type Relay = {
  readonly payer: string
  readonly receipt: string
  readonly state: string
  readonly hash: Hex | null
  readonly isOpen: boolean
}

const relays = {
  name: 'rest-relays',
  text: `SELECT payer, receipt_id AS receipt, state, tx_hash AS hash, settled_at IS NULL AS "isOpen"
    FROM relayed_payment`,
}

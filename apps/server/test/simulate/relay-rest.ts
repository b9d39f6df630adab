import type { Hex } from '../../src/chain/chain.ts'
import type { Database } from '../../src/platform/database/database.ts'
import type { World } from './world.ts'

/**
 * Returns a signed payment that is still open when nothing fails any more, or that says it moved the money
 * although the chain does not have its transaction.
 */
export async function findRelayUnrest(world: World, db: Database): Promise<string | undefined> {
  if (!world.relaying) return undefined
  const moved = new Map<string, bigint>()
  // A failed signature is valid until it expires, for everybody who knows it.
  const strange = world.model.blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ from }) => from === world.stranger.address)
  const others = [...strange, ...world.sent.map(({ transaction }) => transaction)]
  world.relaying.addTo(moved, new Map(others.map(({ hash }) => [hash, true])))
  for (const { payer, receipt, state, hash, isOpen, merchant, deposit, token } of await db.rows<Relay>(
    relays,
  )) {
    if (isOpen) return `the signed payment of ${receipt} by ${payer} is still ${state}`
    if (state === 'mined' && !(hash && world.findMined(hash)?.isSuccess))
      return `the signed payment of ${receipt} is mined in ${hash}, which the chain does not have`
    if (state === 'failed' && moved.has(`${merchant} ${deposit} ${token}`))
      return `the signed payment of ${receipt} failed, and the relayer moved its money`
  }
  return undefined
}

type Relay = {
  readonly payer: string
  readonly receipt: string
  readonly merchant: string
  readonly deposit: string
  readonly token: string
  readonly state: string
  readonly hash: Hex | null
  readonly isOpen: boolean
}

const relays = {
  name: 'rest-relays',
  text: `SELECT payer, merchant, receipt_id AS receipt, state, tx_hash AS hash, settled_at IS NULL AS "isOpen",
      deposit_address AS deposit, token_address AS token
    FROM relayed_payment`,
}

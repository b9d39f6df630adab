import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database.ts'
import type { Chain } from './chain.ts'

/** Notes the factory that makes what is new from now on; safe to repeat. */
export async function noteFactory(
  db: Database,
  chain: Pick<Chain, 'id' | 'factory'>,
  now: UnixMs,
): Promise<void> {
  await db.run(note, [chain.id, chain.factory, now])
}

/** Every factory that ever made something here, the one of now first. */
export async function listFactories(db: Database, chain: Pick<Chain, 'id' | 'factory'>): Promise<Wallet[]> {
  const rows = await db.rows<{ address: string }>(list, [chain.id, chain.factory])
  return [chain.factory, ...rows.map(({ address }) => address as Wallet)]
}

const note = {
  name: 'note-chain-factory',
  text: 'INSERT INTO chain_factory (chain, address, noted_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
}

const list = {
  name: 'list-chain-factories',
  text: 'SELECT address FROM chain_factory WHERE chain = $1 AND address <> $2 ORDER BY noted_at, address',
}

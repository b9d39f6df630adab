import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Chain } from './chain.ts'

/** Factories of earlier releases. A row that names no factory may belong to any of them. */
const earlierFactories: readonly Wallet[] = releases.earlier.map(({ factory }) => {
  const address = parseWallet(factory.address)
  assert(address, 'a factory in a release has an address')
  return address
})

/** Records the current factory, so that later releases still watch what it created. Safe to repeat. */
export async function recordFactory(
  db: Database,
  chain: Pick<Chain, 'id' | 'factory'>,
  now: UnixMs,
): Promise<void> {
  await db.run(note({ id: chain.id, factory: chain.factory, now }))
}

/** Returns the factories of this and all earlier releases, the current one first. */
export function releasedFactories({ factory }: Pick<Chain, 'factory'>): Wallet[] {
  return [factory, ...earlierFactories.filter((each) => each !== factory)]
}

/** Returns every factory that was ever used here, the current one first. */
export async function listFactories(db: Database, chain: Pick<Chain, 'id' | 'factory'>): Promise<Wallet[]> {
  const rows = await db.rows(list({ id: chain.id }))
  return [...new Set([...releasedFactories(chain), ...rows.map(({ address }) => address as Wallet)])]
}

const note = statement({
  name: 'note-chain-factory',
  text: 'INSERT INTO chain_factory (chain, address, noted_at) VALUES (:id, :factory, :now) ON CONFLICT DO NOTHING',
})

const list = statement({
  name: 'list-chain-factories',
  reads: { address: text() },
  text: 'SELECT address FROM chain_factory WHERE chain = :id ORDER BY noted_at, address',
})

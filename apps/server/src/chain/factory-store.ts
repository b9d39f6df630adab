import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Chain } from './chain.ts'

/** The factories of the releases before this one: theirs may be any row that does not say which one made it. */
const earlierFactories: readonly Wallet[] = releases.earlier.map(({ factory }) => {
  const address = parseWallet(factory.address)
  assert(address, 'a factory of a release has an address')
  return address
})

/** Notes the factory that makes what is new from now on; safe to repeat. */
export async function recordFactory(
  db: Database,
  chain: Pick<Chain, 'id' | 'factory'>,
  now: UnixMs,
): Promise<void> {
  await db.run(note({ id: chain.id, factory: chain.factory, now }))
}

/** The factory of this release, and those of the ones before it. */
export function releasedFactories({ factory }: Pick<Chain, 'factory'>): Wallet[] {
  return [factory, ...earlierFactories.filter((each) => each !== factory)]
}

/** Every factory that ever made something here, the one of now first. */
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

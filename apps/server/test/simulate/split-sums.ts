import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { depositAddress } from '../../src/payments/attempts/references.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { listBalances } from './chain-state.ts'
import { readTotals } from './split-model.ts'
import type { World } from './world.ts'

/**
 * Compares the chain with the service, for each split and token. What the contract received and what is left
 * at its deposit addresses is in receipts and cases. The service's ledger has the contract's totals.
 */
export async function findWrongSplit(world: World, db: Database): Promise<string | undefined> {
  const { contracts } = world.model.options
  const { state } = world.model.head
  const left = await readDeposits(world, db)
  if (typeof left === 'string') return left
  const booked = readUnits(await db.rows<Units>({ name: 'split-booked', text: bookedUnits }))
  const ledgers = new Map((await db.rows<Ledger>({ name: 'split-ledgers', text: ledgerTotals })).map(keyed))
  for (const split of contracts.splits.keys())
    for (const token of [nativeAddress, ...contracts.tokens.keys()]) {
      const key = `${split} ${token}`
      const { received, released } = readTotals(state, split, token)
      const ledger = ledgers.get(key) ?? { received: 0n, released: 0n }
      if (ledger.received !== received || ledger.released !== released)
        return `${key} received ${received} and paid ${released}; its ledger has ${ledger.received} and ${ledger.released}`
      const chain = received + (left.get(key) ?? 0n)
      const books = booked.get(key) ?? 0n
      if (chain !== books) return `${key} received ${chain} on the chain; receipts and cases have ${books}`
      booked.delete(key)
    }
  const [elsewhere] = booked.keys()
  return elsewhere && `receipts and cases have money of ${elsewhere}, which is no split`
}

/** Returns units at deposit addresses by split and token, or an address that the service does not know. */
async function readDeposits(world: World, db: Database): Promise<Map<string, bigint> | string> {
  const { head, options } = world.model
  const recipients = [...options.contracts.splits.values()].flat().map(({ address }) => address)
  const others = new Set<string>([
    ...world.accounts,
    ...options.contracts.splits.keys(),
    ...recipients,
    ...world.strays,
  ])
  const left = listBalances(head.state).filter(({ owner, units }) => units > 0n && !others.has(owner))
  const sums = new Map<string, bigint>()
  if (left.length === 0) return sums
  const known = new Map((await db.rows<Origin>({ name: 'split-origins', text: origins })).map(byDeposit))
  for (const { owner, token, units } of left) {
    const origin = known.get(owner)
    const split = origin?.split as Wallet
    const isDerived = origin && depositAddress(options.contracts.factory, split, origin.reference) === owner
    if (!isDerived) return `${units} of ${token} are at ${owner}, which the service does not know`
    sums.set(`${split} ${token}`, (sums.get(`${split} ${token}`) ?? 0n) + units)
  }
  return sums
}

type Units = { readonly key: string | null; readonly units: bigint }
type Ledger = { readonly key: string; readonly received: bigint; readonly released: bigint }
type Origin = { readonly deposit: string; readonly split: string; readonly reference: Hex }

const keyed = (ledger: Ledger) => [ledger.key, ledger] as const
const byDeposit = (origin: Origin) => [origin.deposit, origin] as const
const readUnits = (rows: readonly Units[]) => new Map(rows.map(({ key, units }) => [String(key), units]))

const bookedUnits = `SELECT split || ' ' || token AS key, sum(amount) AS units FROM (
    SELECT a.split_address AS split, p.token_address AS token, p.amount FROM payment p
      JOIN attempt a ON a.merchant = p.merchant AND a.id = p.attempt_id WHERE p.state = 'credited'
    UNION ALL SELECT coalesce(
        (SELECT split_address FROM split_arrival s WHERE s.merchant = u.merchant AND s.chain = u.chain
          AND s.tx_hash = u.tx_hash AND s.log_index = u.log_index AND s.orphaned_at IS NULL),
        (SELECT split_address FROM attempt a WHERE a.merchant = u.merchant
          AND u.source IN (a.deposit_address, a.reference) LIMIT 1),
        (SELECT address FROM split s WHERE s.merchant = u.merchant AND s.address = u.source LIMIT 1)
      ), u.token_address, u.amount FROM unmatched_payment u WHERE u.state IN ('open', 'refunded', 'kept')
  ) AS each GROUP BY 1`

const ledgerTotals = `SELECT split_address || ' ' || token_address AS key, received,
    (SELECT coalesce(sum(value::numeric), 0) FROM jsonb_each_text(released)) AS released FROM split_ledger`

const origins = 'SELECT deposit_address AS deposit, split_address AS split, reference FROM attempt'

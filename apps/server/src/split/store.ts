import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { int8, type Parts, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { valuesOf } from '../platform/database/table.ts'
import { cursorNames } from '../platform/jobs/names.ts'
import { splitTable } from './find-split.ts'
import type { SplitDraft } from './split.ts'

export type SplitOwner = { readonly address: Wallet; readonly merchant: Wallet; readonly version: bigint }

/**
 * Inserts a version whose contract is not deployed yet.
 *
 * @returns `exists` if the merchant has that version, `address-taken` if another version or merchant has the
 * address. In both cases, nothing is stored.
 */
export async function insertSplit(
  tx: Database,
  split: SplitDraft,
): Promise<'stored' | 'exists' | 'address-taken'> {
  if ((await tx.run(insertAddress(split))) === 0) {
    const has = await tx.rows(hasVersion({ merchant: split.merchant, version: split.version }))
    return has.length > 0 ? 'exists' : 'address-taken'
  }
  const count = await tx.run(
    insert({
      ...split,
      inForceAt: split.state === 'in-force' ? split.createdAt : undefined,
      cancelledAt: undefined,
      deployedAt: undefined,
      deployedTx: undefined,
    }),
  )
  if (count > 0) return 'stored'
  await tx.run(removeAddress(split))
  return 'exists'
}

export async function findSplitOwners(
  db: Database,
  chain: number,
  addresses: readonly Wallet[],
): Promise<SplitOwner[]> {
  return db.rows(findOwners({ chain, addresses }))
}

export async function listSplitAddresses(db: Database, chain: number, merchant?: Wallet): Promise<Wallet[]> {
  const rows = await (merchant
    ? db.rows(listOwnAddresses({ chain, merchant }))
    : db.rows(listAddresses({ chain })))
  return rows.map((row) => row.address as Wallet)
}

/** Lists splits whose deployment must be checked, by address, starting after `after`. */
export async function listUndeployed(
  db: Database,
  chain: number,
  now: UnixMs,
  after: string,
  limit: number,
): Promise<SplitOwner[]> {
  return db.rows(undeployed({ chain, after, now, limit }))
}

/** Postpones the deployment check to `at`, or stops it if `at` is `undefined`. */
export async function postponeLook(
  db: Database,
  chain: number,
  address: Wallet,
  at: UnixMs | undefined,
): Promise<void> {
  await db.run(postpone({ chain, address, lookAt: at ?? never }))
}

/** Marks a contract as deployed. Keeps the time and transaction that were recorded first. */
export async function markDeployed(
  db: Database,
  chain: number,
  owner: SplitOwner,
  seen: { at: UnixMs; tx: Hex | undefined },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(deploy({ merchant: owner.merchant, version: owner.version, at: seen.at, tx: seen.tx }))
    await tx.run(deployAddress({ chain, address: owner.address }))
  })
}

/** Excludes from the ledger any money that an adopted contract received up to the last read block. */
export async function markReadFrom(tx: Database, chain: number, address: Wallet): Promise<void> {
  await tx.run(readFrom({ chain, address }))
}

export async function markNotDeployed(db: Database, chain: number, owner: SplitOwner): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(undeploy({ merchant: owner.merchant, version: owner.version }))
    await tx.run(undeployAddress({ chain, address: owner.address }))
  })
}

/** Marks all contracts for a new deployment check after a reorg. */
export async function unsureDeployments(tx: Database, chain: number): Promise<void> {
  await tx.run(unsure({ chain }))
}

const never = 2n ** 62n

const storedSplitOwner: Parts<SplitOwner> = {
  address: text(),
  merchant: text(),
  version: int8(),
}

const insert = statement({
  name: 'insert-split',
  text: `INSERT INTO split ${valuesOf(splitTable)} ON CONFLICT (merchant, version) DO NOTHING`,
  writes: splitTable,
})

const hasVersion = statement({
  name: 'has-split-version',
  text: `SELECT 1 FROM split WHERE merchant = :merchant AND version = :version`,
})

const removeAddress = statement({
  name: 'remove-split-address',
  text: `DELETE FROM split_address WHERE chain = :chain AND address = :address AND merchant = :merchant
    AND version = :version`,
})

const insertAddress = statement({
  name: 'insert-split-address',
  text: `INSERT INTO split_address (chain, address, merchant, version, is_deployed) VALUES (:chain, :address,
    :merchant, :version, false)
    ON CONFLICT (chain, address) DO NOTHING`,
})

const findOwners = statement({
  name: 'find-owned-splits',
  reads: storedSplitOwner,
  text: `SELECT address, merchant, version FROM split_address WHERE chain = :chain AND address = ANY(:addresses)`,
})

const listAddresses = statement({
  name: 'list-split-addresses',
  reads: { address: text() },
  text: `SELECT address FROM split_address WHERE chain = :chain ORDER BY address`,
})

const listOwnAddresses = statement({
  name: 'list-split-addresses-of',
  reads: { address: text() },
  text: `SELECT address FROM split_address WHERE chain = :chain AND merchant = :merchant ORDER BY address`,
})

const undeployed = statement({
  name: 'list-undeployed-splits',
  reads: storedSplitOwner,
  text: `SELECT address, merchant, version FROM split_address
    WHERE chain = :chain AND address > :after AND NOT is_deployed AND look_at <= :now ORDER BY address LIMIT :limit`,
})

const postpone = statement({
  name: 'postpone-split-look',
  text: `UPDATE split_address SET look_at = :lookAt WHERE chain = :chain AND address = :address`,
})

const deploy = statement({
  name: 'mark-split-deployed',
  text: `UPDATE split SET deployed_at = coalesce(deployed_at, :at), deployed_tx = coalesce(deployed_tx, :tx)
    WHERE merchant = :merchant AND version = :version`,
})

const deployAddress = statement({
  name: 'mark-split-address-deployed',
  text: `UPDATE split_address SET is_deployed = true WHERE chain = :chain AND address = :address`,
})

const readFrom = statement({
  name: 'mark-split-read-from',
  text: `UPDATE split_address SET read_from = coalesce(
      (SELECT number FROM chain_cursor WHERE chain = :chain AND name = '${cursorNames.distributions}'), 0)
    WHERE chain = :chain AND address = :address`,
})

const undeploy = statement({
  name: 'mark-split-not-deployed',
  text: `UPDATE split SET deployed_at = NULL, deployed_tx = NULL WHERE merchant = :merchant AND version = :version`,
})

const undeployAddress = statement({
  name: 'mark-split-address-not-deployed',
  text: `UPDATE split_address SET is_deployed = false, look_at = 0 WHERE chain = :chain AND address = :address`,
})

const unsure = statement({
  name: 'mark-split-addresses-unsure',
  text: `UPDATE split_address SET is_deployed = false, look_at = 0 WHERE chain = :chain AND is_deployed`,
})

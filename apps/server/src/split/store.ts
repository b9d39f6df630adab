import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import type { Database } from '../platform/database/database.ts'
import { cursorNames } from '../platform/jobs/names.ts'
import type { SplitDraft } from './split.ts'

/** Whose split an address is, and in which version. */
export type SplitOwner = { readonly address: Wallet; readonly merchant: Wallet; readonly version: bigint }

/**
 * Stores a version whose contract nobody has seen yet, in the caller's transaction.
 *
 * @returns `exists` where the merchant has that version already, `address-taken` where the contract is
 * another version's, or another merchant's; nothing is stored then.
 */
export async function insertSplit(
  tx: Database,
  split: SplitDraft,
): Promise<'stored' | 'exists' | 'address-taken'> {
  const owner = [split.chain, split.address, split.merchant, split.version]
  if ((await tx.run(insertAddress, owner)) === 0) {
    const has = await tx.rows(hasVersion, [split.merchant, split.version])
    return has.length > 0 ? 'exists' : 'address-taken'
  }
  const count = await tx.run(insert, [
    split.merchant,
    split.version,
    split.chain,
    split.address,
    split.salt,
    JSON.stringify(split.recipients),
    split.feeBps,
    split.platformRecipient ?? null,
    split.state,
    split.effectiveAt,
    split.state === 'in-force' ? split.createdAt : null,
    split.createdAt,
    split.factory ?? null,
  ])
  if (count > 0) return 'stored'
  await tx.run(removeAddress, owner)
  return 'exists'
}

/** The owners of these addresses, as far as they are splits of ours. */
export async function findSplitOwners(
  db: Database,
  chain: number,
  addresses: readonly Wallet[],
): Promise<SplitOwner[]> {
  return (await db.rows<OwnerRow>(findOwners, [chain, addresses])).map(ownerOf)
}

/** Every split's address on the chain, or those of one merchant: what transfers of tokens are watched for. */
export async function listSplitAddresses(db: Database, chain: number, merchant?: Wallet): Promise<Wallet[]> {
  const rows = await (merchant
    ? db.rows<{ address: string }>(listOwnAddresses, [chain, merchant])
    : db.rows<{ address: string }>(listAddresses, [chain]))
  return rows.map((row) => row.address as Wallet)
}

/** Splits that are to be looked for on the chain, where they are not known to stand; after the address `after`. */
export async function listUndeployed(
  db: Database,
  chain: number,
  now: UnixMs,
  after: string,
  limit: number,
): Promise<SplitOwner[]> {
  return (await db.rows<OwnerRow>(undeployed, [chain, after, now, limit])).map(ownerOf)
}

/** Has a split's contract looked for not before `at`; never again where that is absent. */
export async function postponeLook(
  db: Database,
  chain: number,
  address: Wallet,
  at: UnixMs | undefined,
): Promise<void> {
  await db.run(postpone, [chain, address, at ?? never])
}

/** Notes that a split's contract stands on the chain; the first time and transaction noted stay. */
export async function markDeployed(
  db: Database,
  chain: number,
  owner: SplitOwner,
  seen: { at: UnixMs; tx: Hex | undefined },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(deploy, [owner.merchant, owner.version, seen.at, seen.tx ?? null])
    await tx.run(deployAddress, [chain, owner.address])
  })
}

/** Notes that what a contract had received up to the last block read was not ours to book: it stood before. */
export async function markReadFrom(tx: Database, chain: number, address: Wallet): Promise<void> {
  await tx.run(readFrom, [chain, address])
}

/** Notes that a split's contract is not on the chain, whatever was noted before. */
export async function markNotDeployed(db: Database, chain: number, owner: SplitOwner): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(undeploy, [owner.merchant, owner.version])
    await tx.run(undeployAddress, [chain, owner.address])
  })
}

/** The chain lost blocks: which contracts stand on it has to be looked up again. */
export async function unsureDeployments(tx: Database, chain: number): Promise<void> {
  await tx.run(unsure, [chain])
}

const never = 2n ** 62n

type OwnerRow = { address: string; merchant: string; version: bigint }

function ownerOf(row: OwnerRow): SplitOwner {
  return { address: row.address as Wallet, merchant: row.merchant as Wallet, version: row.version }
}

const insert = {
  name: 'insert-split',
  text: `INSERT INTO split (merchant, version, chain, address, salt, recipients, fee_bps, platform_recipient, state,
      effective_at, in_force_at, created_at, factory)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (merchant, version) DO NOTHING`,
}

const hasVersion = {
  name: 'has-split-version',
  text: `SELECT 1 FROM split WHERE merchant = $1 AND version = $2`,
}

const removeAddress = {
  name: 'remove-split-address',
  text: `DELETE FROM split_address WHERE chain = $1 AND address = $2 AND merchant = $3 AND version = $4`,
}

const insertAddress = {
  name: 'insert-split-address',
  text: `INSERT INTO split_address (chain, address, merchant, version, is_deployed) VALUES ($1, $2, $3, $4, false)
    ON CONFLICT (chain, address) DO NOTHING`,
}

const findOwners = {
  name: 'find-owned-splits',
  text: `SELECT address, merchant, version FROM split_address WHERE chain = $1 AND address = ANY($2)`,
}

const listAddresses = {
  name: 'list-split-addresses',
  text: `SELECT address FROM split_address WHERE chain = $1 ORDER BY address`,
}

const listOwnAddresses = {
  name: 'list-split-addresses-of',
  text: `SELECT address FROM split_address WHERE chain = $1 AND merchant = $2 ORDER BY address`,
}

const undeployed = {
  name: 'list-undeployed-splits',
  text: `SELECT address, merchant, version FROM split_address
    WHERE chain = $1 AND address > $2 AND NOT is_deployed AND look_at <= $3 ORDER BY address LIMIT $4`,
}

const postpone = {
  name: 'postpone-split-look',
  text: `UPDATE split_address SET look_at = $3 WHERE chain = $1 AND address = $2`,
}

const deploy = {
  name: 'mark-split-deployed',
  text: `UPDATE split SET deployed_at = coalesce(deployed_at, $3), deployed_tx = coalesce(deployed_tx, $4)
    WHERE merchant = $1 AND version = $2`,
}

const deployAddress = {
  name: 'mark-split-address-deployed',
  text: `UPDATE split_address SET is_deployed = true WHERE chain = $1 AND address = $2`,
}

const readFrom = {
  name: 'mark-split-read-from',
  text: `UPDATE split_address SET read_from = coalesce(
      (SELECT number FROM chain_cursor WHERE chain = $1 AND name = '${cursorNames.distributions}'), 0)
    WHERE chain = $1 AND address = $2`,
}

const undeploy = {
  name: 'mark-split-not-deployed',
  text: `UPDATE split SET deployed_at = NULL, deployed_tx = NULL WHERE merchant = $1 AND version = $2`,
}

const undeployAddress = {
  name: 'mark-split-address-not-deployed',
  text: `UPDATE split_address SET is_deployed = false, look_at = 0 WHERE chain = $1 AND address = $2`,
}

const unsure = {
  name: 'mark-split-addresses-unsure',
  text: `UPDATE split_address SET is_deployed = false, look_at = 0 WHERE chain = $1 AND is_deployed`,
}

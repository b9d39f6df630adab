import type { MemberKey } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput, pathOf } from '../../kernel/api-error.ts'
import { named, text, texts } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/**
 * Revokes the keys of a removed or restricted member whose scopes exceed `mayGive`, except those of kept
 * subscriptions.
 *
 * The member `by` becomes responsible for the kept keys. They must be named explicitly, because the former
 * member may still know the secret.
 *
 * @param change.mayGive - Scopes that the member's keys may keep, or `none` after removal.
 * @throws {ApiError} `invalid_input` if a kept subscription has no such key.
 */
export async function settleMemberKeys(
  tx: Database,
  merchant: Wallet,
  change: {
    wallet: Wallet
    mayGive: readonly string[] | 'none'
    keep: readonly string[]
    by: Wallet
    at: UnixMs
  },
): Promise<{ revokedKeys: MemberKey[]; keptKeys: MemberKey[] }> {
  const { mayGive, keep } = change
  const made = await listKeysMadeBy(tx, merchant, change.wallet)
  const excessive = made.filter(
    ({ scopes }) => mayGive === 'none' || scopes.some((scope) => !mayGive.includes(scope)),
  )
  for (const [i, id] of keep.entries()) {
    if (!excessive.some(({ subscriptionId }) => subscriptionId === id))
      throw invalidInput({
        path: pathOf('keepSubscriptions', i),
        message: 'is not the id of a subscription that this change revokes',
      })
  }
  const revokedKeys = excessive.filter(({ subscriptionId }) => !keep.includes(subscriptionId))
  const keptKeys = excessive.filter(({ subscriptionId }) => keep.includes(subscriptionId))
  await revokeKeys(tx, merchant, revokedKeys, change.at)
  await adoptKeys(tx, merchant, keptKeys, change.by)
  return { revokedKeys, keptKeys }
}

/** Lists the active keys that a member created. Locks their subscriptions until the transaction ends. */
export async function listKeysMadeBy(tx: Database, merchant: Wallet, wallet: Wallet): Promise<MemberKey[]> {
  return tx.rows(list({ merchant, wallet }))
}

export async function revokeKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id' | 'subscriptionId'>[],
  at: UnixMs,
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(revoke({ merchant, each: keys, at }))
  await tx.run(revokeEmpty({ merchant, each: keys, at }))
}

export async function adoptKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id'>[],
  by: Wallet,
): Promise<void> {
  if (keys.length > 0) await tx.run(adopt({ merchant, each: keys, by }))
}

const list = statement({
  name: 'list-keys-made-by',
  reads: {
    id: text(),
    slot: text<MemberKey['slot']>(),
    hint: text(),
    subscriptionId: text(),
    subscriptionName: named('name', text()),
    scopes: texts<MemberKey['scopes'][number]>(),
  },
  text: `SELECT k.id, k.slot, k.hint, k.subscription_id, s.name, s.scopes
    FROM api_key k JOIN subscription s ON s.merchant = k.merchant AND s.id = k.subscription_id
    WHERE k.merchant = :merchant AND k.made_by = :wallet AND k.revoked_at IS NULL AND s.revoked_at IS NULL
    ORDER BY s.created_at, s.id, k.slot FOR UPDATE OF s`,
})

const revoke = statement({
  name: 'revoke-keys',
  ends: 'each.subscriptionId',
  text: 'UPDATE api_key SET revoked_at = :at WHERE merchant = :merchant AND id = ANY(:each.id) AND revoked_at IS NULL',
})

const revokeEmpty = statement({
  name: 'revoke-empty-subscriptions',
  text: `UPDATE subscription s SET revoked_at = :at
    WHERE s.merchant = :merchant AND s.id = ANY(:each.subscriptionId) AND s.revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM api_key k WHERE k.merchant = :merchant AND k.subscription_id = s.id AND k.revoked_at IS NULL)`,
})

const adopt = statement({
  name: 'adopt-keys',
  text: 'UPDATE api_key SET made_by = :by WHERE merchant = :merchant AND id = ANY(:each.id)',
})

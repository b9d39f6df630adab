import type { MemberKey } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { pathOf } from '../../kernel/field-path.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { adoptKeys, listKeysMadeBy, revokeKeys } from './member-key-store.ts'

/**
 * What becomes of the keys a member made, now that it is removed or may do less: those with a scope it may no
 * longer give are revoked, but for those of the subscriptions that are kept by name. Whoever keeps them answers
 * for them from then on. The secret may be with the member still: that is why nothing is kept unasked.
 *
 * @param change.mayGive - The scopes the member's keys may still have; none once it is removed.
 * @throws {Refusal} `invalid_input` for a kept subscription of which the member made no such key.
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
        message: 'is not the id of a subscription that this would revoke',
      })
  }
  const revokedKeys = excessive.filter(({ subscriptionId }) => !keep.includes(subscriptionId))
  const keptKeys = excessive.filter(({ subscriptionId }) => keep.includes(subscriptionId))
  await revokeKeys(tx, merchant, revokedKeys, change.at)
  await adoptKeys(tx, merchant, keptKeys, change.by)
  return { revokedKeys, keptKeys }
}

import type { Role } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { listMemberships } from '../../merchants/member-store.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SessionCaller } from '../caller.ts'
import type { Gate } from './gate.ts'

/** The names that merchants sell under; who has none is not in it. */
export type FindShopNames = (merchants: readonly Wallet[]) => Promise<ReadonlyMap<Wallet, string>>

/** A merchant that a wallet may act for; no `merchant`: the platform. */
export type OwnMerchant = {
  readonly merchant: Wallet | undefined
  readonly shopName: string | undefined
  readonly role: Role
}

/**
 * Every merchant that the caller's wallet may act for: its own first, then in the order in which it became a member, two
 * hundred at most; the platform last, for an operator.
 */
export async function listOwnMerchants(
  needs: { db: Database; gate: Gate; findShopNames: FindShopNames },
  { wallet }: SessionCaller,
): Promise<OwnMerchant[]> {
  const memberships = await listMemberships(needs.db, wallet)
  const names = await needs.findShopNames(memberships.map(({ merchant }) => merchant))
  const merchants = memberships.map(({ merchant, role }) => ({
    merchant,
    role,
    shopName: names.get(merchant),
  }))
  if (!needs.gate.operators.has(wallet)) return merchants
  return [...merchants, { merchant: undefined, role: 'operator', shopName: undefined }]
}

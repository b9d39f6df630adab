import type { Role } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findMember, listMemberships } from '../../merchants/member-store.ts'
import { ensureMerchant } from '../../merchants/merchant-store.ts'
import type { Database } from '../../platform/database/database.ts'

/** Wallets that may become merchants: all, or invited members only. */
export type Signups = 'open' | 'invited'

export type Standing = { readonly merchant: Wallet | undefined; readonly role: Role }

/**
 * Chooses the merchant of a session: `wanted` if given, else none for an operator, else the wallet's own or
 * first merchant.
 *
 * With open sign-ups, a wallet without a membership becomes the owner of its own merchant.
 *
 * @throws {ApiError} `forbidden` if the wallet is not a member and may not sign up.
 */
export async function chooseMerchant(
  needs: { db: Database; clock: Clock },
  wallet: Wallet,
  wanted: Wallet | undefined,
  rules: { signups: Signups; isOperator: boolean },
): Promise<Standing> {
  const member = wanted && (await findMember(needs.db, wanted, wallet))
  if (member) return { merchant: wanted, role: member.role }
  if (wanted === undefined) {
    if (rules.isOperator) return { merchant: undefined, role: 'operator' }
    const [found] = await listMemberships(needs.db, wallet)
    if (found) return found
  }
  if (rules.signups === 'open' && (wanted === undefined || wanted === wallet)) {
    await ensureMerchant(needs, wallet, '')
    const owner = await findMember(needs.db, wallet, wallet)
    if (owner) return { merchant: wallet, role: owner.role }
  }
  throw new ApiError(
    'forbidden',
    'This wallet is not a member of the merchant; ask an owner for an invitation link (/app/team)',
  )
}

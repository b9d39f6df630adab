import type { Role } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { findMember, listMemberships } from '../../merchants/member-store.ts'
import { ensureMerchant } from '../../merchants/merchant-store.ts'
import type { Database } from '../../platform/database/database.ts'

/** Who may begin to sell here: anybody, or only wallets that somebody made a member. */
export type Signups = 'open' | 'invited'

/** For whom a session acts and as what. */
export type Standing = { readonly merchant: Wallet | undefined; readonly role: Role }

/**
 * For whom a wallet that proved itself acts (decisions: Access, Roles): the merchant it asks for; else, for
 * an operator, none; else its own, or the one it was first made a member of. Where signing up is open, a
 * wallet that is a member nowhere becomes the owner of its own merchant.
 *
 * @throws {Refusal} `forbidden` where it is no member and may not sign up.
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
  throw new Refusal(
    'forbidden',
    'This wallet is not a member of the merchant; ask an owner for an invitation link (/app/team)',
  )
}

import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { shortWallet } from '../../shell/account.tsx'

export type Invitation = operations['postAuthInvitation']['responses'][200]['content']['application/json']

/** Reason why an invitation cannot be accepted. `unknown` means that the invitation does not exist. */
export type Closed = Exclude<Invitation['state'], 'open'> | 'unknown'

export function shopOf({ shopName, merchantWallet }: Invitation): string {
  return shopName ?? text('invite.shop.unnamed', { wallet: shortWallet(merchantWallet) })
}

import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { shortWallet } from '../../shell/account.tsx'

/** What the service says of an invitation to whoever has its link. */
export type Invitation = operations['postAuthInvitation']['responses'][200]['content']['application/json']

/** Why an invitation is good for nothing any more; `unknown`: it never was. */
export type Closed = Exclude<Invitation['state'], 'open'> | 'unknown'

/** The shop by its name, or by its wallet where it has none. */
export function shopOf({ shopName, merchantWallet }: Invitation): string {
  return shopName ?? text('invite.shop.unnamed', { wallet: shortWallet(merchantWallet) })
}

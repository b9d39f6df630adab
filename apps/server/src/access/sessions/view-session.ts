import type { Role } from '@sluice/protocol/api/access.ts'
import type { SessionResponse } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Gate } from './gate.ts'
import { endOf, type Session } from './session.ts'

export const everybody: readonly Role[] = ['owner', 'admin', 'developer', 'cashier', 'viewer', 'operator']

export function viewSession(
  { gate }: { readonly gate: Gate },
  id: string,
  session: { wallet: Wallet; merchant: Wallet | undefined; role: Role; createdAt: UnixMs },
): SessionResponse {
  return {
    ok: true,
    wallet: session.wallet,
    merchantWallet: session.merchant ?? null,
    role: session.role,
    csrfToken: gate.tokens.csrfToken(id),
    expiresAt: endOf(session),
  }
}

export function viewListed(session: Session, currentId: string) {
  return {
    id: session.id,
    wallet: session.wallet,
    merchantWallet: session.merchant ?? null,
    createdAt: session.createdAt,
    lastSeenAt: session.lastSeenAt,
    expiresAt: endOf(session),
    address: session.address,
    userAgent: session.userAgent ?? null,
    isCurrent: session.id === currentId,
  }
}

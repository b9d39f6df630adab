import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../access/audit/append-audit.ts'
import type { SessionCaller } from '../access/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'

/** Person who acts on a receipt, as recorded in the audit log. */
export type Actor = Pick<SessionCaller, 'wallet' | 'role'> & { readonly correlationId: string }

/** Entry for the audit log of a merchant. */
export type Act = {
  readonly merchant: Wallet
  readonly action: `${'receipt' | 'refund' | 'payment'}.${string}`
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Appends to the merchant's audit log. Must be the last statement of its transaction. */
export async function audit(
  needs: { tx: Database; clock: Clock; secrets: Secrets },
  actor: Actor,
  act: Act,
): Promise<void> {
  await appendAudit(needs, {
    ...act,
    at: needs.clock.now(),
    actor: actor.wallet,
    details: { role: actor.role, ...act.details },
    correlationId: actor.correlationId,
  })
}

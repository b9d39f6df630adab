import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../access/audit/append-audit.ts'
import type { SessionCaller } from '../access/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'

/** Who does something a person answers for, as history and audit log keep it. */
export type Actor = Pick<SessionCaller, 'wallet' | 'role'> & { readonly correlationId: string }

/** What a person did to a receipt or to money, for the audit log. */
export type Act = {
  readonly merchant: Wallet
  readonly action: `${'receipt' | 'refund' | 'payment'}.${string}`
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Writes what a person did into the merchant's audit log; the last thing of its transaction. */
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

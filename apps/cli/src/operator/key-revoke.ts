import type { Command } from '../../../../packages/cli/src/command.ts'
import { merchantOf, withOperator } from './open-operator.ts'

export const keyRevoke: Command = {
  path: ['key', 'revoke'],
  args: ['SUBSCRIPTION'],
  summary: 'Revokes a subscription and its two keys on all replicas within a second',
  options: {
    merchant: {
      value: 'WALLET',
      help: 'wallet of the merchant (default: the demo merchant of a local service)',
    },
  },
  details: 'Changes the database directly. Run it on the machine of the service with its settings.',
  async run({ env, out }, input) {
    const { appendAudit } = await import('@sluice/server/src/access/audit/append-audit.ts')
    const { endSubscription } = await import('@sluice/server/src/access/keys/change-subscription.ts')
    const merchant = await merchantOf(env, input)
    const [id = ''] = input.args
    const isEnded = await withOperator(env, input, ({ db, clock, secrets }) =>
      db.transaction(async (tx) => {
        if (!(await endSubscription({ db: tx, clock }, merchant, id))) return false
        await appendAudit(
          { tx, secrets },
          {
            merchant,
            at: clock.now(),
            actor: 'system',
            action: 'subscription.revoked',
            subject: id,
            details: { by: 'command line' },
          },
        )
        return true
      }),
    )
    out.result({ subscription: id, revoked: true, wasRevokedBefore: !isEnded }, () =>
      out.line(isEnded ? `Subscription ${id} is revoked.` : `Subscription ${id} was already revoked.`),
    )
  },
}

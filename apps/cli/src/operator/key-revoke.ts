import type { Command } from '../command.ts'
import { merchantOf, withOperator } from './open-operator.ts'

/** `key revoke` */
export const keyRevoke: Command = {
  path: ['key', 'revoke'],
  args: ['SUBSCRIPTION'],
  summary: 'Ends a subscription: neither of its keys is good for anything, within a second on every replica',
  options: { merchant: { value: 'WALLET', help: "the merchant (default: a local service's demo merchant)" } },
  details: "Works on the service's database, so it is for the machine and the settings of the service.",
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
      out.line(isEnded ? `Subscription ${id} is revoked.` : `Subscription ${id} was revoked before.`),
    )
  },
}

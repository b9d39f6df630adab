import type { Command } from '../../../../packages/cli/src/command.ts'
import { usageError } from '../../../../packages/cli/src/failure.ts'
import { merchantOf, withOperator } from './open-operator.ts'

export const keyRotate: Command = {
  path: ['key', 'rotate'],
  args: ['SUBSCRIPTION', 'primary|secondary'],
  summary:
    'Replaces one of the two keys: the old key stops working immediately, and the new key is shown once',
  options: {
    merchant: {
      value: 'WALLET',
      help: 'wallet of the merchant (default: the demo merchant of a local service)',
    },
  },
  details: `Webhooks for receipts that the old key created are still signed with it, so endpoints must verify with both keys.
Changes the database directly. Run it on the machine of the service with its settings.`,
  async run({ env, out }, input) {
    const { appendAudit } = await import('@sluice/server/src/access/audit/append-audit.ts')
    const { rotateKey } = await import('@sluice/server/src/access/keys/change-subscription.ts')
    const merchant = await merchantOf(env, input)
    const [subscriptionId = '', slot] = input.args
    if (slot !== 'primary' && slot !== 'secondary') throw usageError('Specify the key: primary or secondary')
    const key = await withOperator(env, input, ({ db, ...operator }) =>
      db.transaction(async (tx) => {
        const made = await rotateKey({ ...operator, db: tx }, merchant, { subscriptionId, slot })
        await appendAudit(
          { ...operator, tx },
          {
            merchant,
            at: operator.clock.now(),
            actor: 'system',
            action: 'key.rotated',
            subject: subscriptionId,
            details: { slot, by: 'command line' },
          },
        )
        return made
      }),
    )
    out.result({ subscription: subscriptionId, slot, key }, () =>
      out.fields([
        ['subscription', subscriptionId],
        [`${slot} key`, key],
      ]),
    )
    out.note('Store the key safely: it is not shown again.')
  },
}

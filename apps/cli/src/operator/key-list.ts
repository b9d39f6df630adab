import type { Command } from '../../../../packages/cli/src/command.ts'
import { showTime } from '../../../../packages/cli/src/output.ts'
import { merchantOf, withOperator } from './open-operator.ts'

export const keyList: Command = {
  path: ['key', 'list'],
  summary: 'Lists the subscriptions of a merchant, with the last characters of their keys',
  options: {
    merchant: {
      value: 'WALLET',
      help: 'wallet of the merchant (default: the demo merchant of a local service)',
    },
  },
  details: 'Reads the database directly. Run it on the machine of the service with its settings.',
  async run({ env, out }, input) {
    const { scopes } = await import('@sluice/protocol/api/access.ts')
    const { listSubscriptions } = await import('@sluice/server/src/access/keys/subscription-store.ts')
    const merchant = await merchantOf(env, input)
    const subscriptions = await withOperator(env, input, ({ db }) => listSubscriptions(db, merchant))
    out.result({ subscriptions }, () =>
      out.table(
        ['subscription', 'name', 'last used', 'keys', 'scopes'],
        subscriptions.map((it) => [
          it.id,
          it.name,
          it.revokedAt ? 'revoked' : it.lastUsedAt ? showTime(it.lastUsedAt) : 'never',
          it.keys.map(({ slot, hint }) => `${slot} ${hint}`).join(', '),
          it.scopes.length === scopes.length ? 'all' : it.scopes.join(', '),
        ]),
        'This merchant has no subscriptions.',
      ),
    )
  },
}

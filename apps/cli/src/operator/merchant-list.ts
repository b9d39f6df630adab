import type { Command } from '../../../../packages/cli/src/command.ts'
import { showTime } from '../../../../packages/cli/src/output.ts'
import { withOperator } from './open-operator.ts'

export const merchantList: Command = {
  path: ['merchant', 'list'],
  summary: 'Lists the merchants of the service',
  details: 'Reads the database directly. Run it on the machine of the service with its settings.',
  async run({ env, out }, input) {
    const { listMerchants } = await import('@sluice/server/src/merchants/merchant-store.ts')
    const merchants = await withOperator(env, input, ({ db }) => listMerchants(db))
    out.result({ merchants }, () =>
      out.table(
        ['wallet', 'made', 'name'],
        merchants.map(({ wallet, name, createdAt }) => [wallet, showTime(createdAt), name]),
        'There are no merchants.',
      ),
    )
  },
}

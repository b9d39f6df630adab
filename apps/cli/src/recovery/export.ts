import type { Command } from '../../../../packages/cli/src/command.ts'
import { exitCodes } from '../../../../packages/cli/src/failure.ts'
import { readServiceConfig, withOperator } from '../operator/open-operator.ts'

export const recoveryExport: Command = {
  path: ['recovery', 'export'],
  summary: 'Writes the recovery kit: the data that finds deposit addresses without the database',
  options: { out: { value: 'FILE', help: 'file to write (default: stdout)' } },
  details: `With the kit, the words of the recovery seed and an RPC endpoint, \`npm run recover\` finds and pays out the money at all
deposit addresses without this service and its database. The service also writes the kit to DATA_DIR/recovery-kit.json
every hour.

The kit contains no secret. It reveals merchants, recipients with their shares, the times and number of payment attempts,
and the deposit addresses of attempts that are older than the recovery seed.`,
  examples: ['recovery export --out kit.json'],
  async run({ env, out }, input) {
    const config = await readServiceConfig(env, input)
    const [{ makeKit }, { writeKit }, { networkOf }, { localContracts }, { isLocalNetwork }] =
      await Promise.all([
        import('@sluice/server/src/payments/recovery/make-kit.ts'),
        import('@sluice/server/src/payments/recovery/write-kit.ts'),
        import('@sluice/server/src/app/network.ts'),
        import('@sluice/server/src/local/deploy-contracts.ts'),
        import('@sluice/protocol/networks/list.ts'),
      ])
    const chain = networkOf(config.chainId, isLocalNetwork(config.chainId) ? localContracts() : undefined)
    const kit = await withOperator(env, input, (operator) => makeKit({ ...operator, chain }))
    const path = input.text('out')
    if (path === undefined) await out.raw(`${JSON.stringify(kit)}\n`)
    else await writeKit(kit, path)
    out.note(`The kit has ${kit.splits.length} splits${path === undefined ? '' : ` and is in ${path}`}.`)
    if (!kit.isComplete) out.note('It has reached its size limit: it omits the oldest attempts.')
    return exitCodes.done
  },
}

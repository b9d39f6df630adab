import type { Command } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { databaseUrlOf, readServiceConfig } from '../operator/open-operator.ts'

const mostShards = 1_024

export const databaseDistribute: Command = {
  path: ['database', 'distribute'],
  summary: 'Distributes the tables over the workers of a Citus cluster, by merchant',
  options: {
    shards: { value: 'N', help: 'shards per table, set at the first run (default: 32)' },
  },
  details: `DATABASE_URL must be the coordinator of a cluster with its workers added: see "Beyond one database" in docs/database.md.
Stop the service first. The command updates the schema, then distributes all tables in one transaction: the rows of a
merchant are on one worker; tables over all merchants stay on the coordinator, managed by Citus. You can repeat or
interrupt it: distributed tables stay as they are. If the cluster is not ready, the command says what is missing and
exits with code 1.`,
  async run({ env, out }, input) {
    const shardCount = readShards(input.text('shards'))
    const url = databaseUrlOf(await readServiceConfig(env, input), env, input)
    const [{ distributeDatabase }, { ClusterUnfit }, { DatabaseUnusable }, { makeLog }] = await Promise.all([
      import('@sluice/server/src/platform/cluster/distribute-database.ts'),
      import('@sluice/server/src/platform/cluster/validate-cluster.ts'),
      import('@sluice/server/src/platform/database/opening/explain-database.ts'),
      import('@sluice/server/src/platform/log.ts'),
    ])
    const report = (table: string, as: 'spread' | 'managed') => out.note(`${as.padEnd(7)}  ${table}`)
    const done = await distributeDatabase({
      url,
      log: makeLog('silent'),
      report,
      ...(shardCount !== undefined && { shardCount }),
    }).catch((error: Error) => {
      if (error instanceof ClusterUnfit) throw new CliFailure(exitCodes.failed, error.message)
      if (error instanceof DatabaseUnusable)
        throw new CliFailure(exitCodes.unreachable, error.message, undefined, 'unreachable')
      throw error
    })
    out.result({ ok: true, ...done }, () => {
      out.line(
        `Distributed by merchant: ${done.spread.length} tables; on the coordinator: ${done.managed.length} tables`,
      )
      out.line(`Already distributed: ${done.kept} tables`)
      if (done.foreign.length > 0) out.line(`Tables of other programs, unchanged: ${done.foreign.join(', ')}`)
    })
    return exitCodes.done
  },
}

function readShards(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= mostShards) return count
  throw usageError(`--shards must be a whole number from 1 to ${mostShards}`)
}

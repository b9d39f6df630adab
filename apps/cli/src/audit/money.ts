import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { AuditOutcome } from '@sluice/server/src/audit/audit-money.ts'
import type { Config } from '@sluice/server/src/platform/settings/config.ts'
import type { Command, Environment, Input } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { readLocal } from '../../../../packages/cli/src/settings.ts'
import { databaseUrlOf, readServiceConfig } from '../operator/open-operator.ts'
import { showOutcome, writeOutcome } from './show-outcome.ts'

export const auditMoney: Command = {
  path: ['audit', 'money'],
  summary:
    'Adds up the amounts that every address received on the chain and compares the sums with the ledger',
  options: {
    block: {
      value: 'N',
      help: 'final block to compare at (default: the newest that the service has read)',
    },
  },
  details: `Reads every deposit address, every version of every split and the factory from the chain. Its code is independent of the
code that credits payments. Compares the received, held, swept and distributed amounts per token. Every base unit must
belong to exactly one receipt or unmatched payment; otherwise it names the transaction, and the exit code is 1.

Changes nothing. Requires DATABASE_URL and RPC_URLS as the service has them, or a running local service. To find the
block of a difference, it requires an endpoint with the state of old blocks (an archive node). On a chain with millions
of blocks it runs for minutes and prints its progress to stderr. Money above the compared block is listed separately.`,
  async run({ env, out, signal }, input) {
    const block = readBlock(input.text('block'))
    const outcome = await withChain(env, input, ({ db, chain }, audit) =>
      audit(
        {
          db,
          chain,
          report(text) {
            signal.throwIfAborted()
            out.note(text)
          },
        },
        { block },
      ),
    )
    out.result(writeOutcome(outcome), () => showOutcome(out, outcome))
    return outcome.differences.length === 0 ? exitCodes.done : exitCodes.failed
  },
}

type Audit = typeof import('@sluice/server/src/audit/audit-money.ts').auditMoney

async function withChain(
  env: Environment,
  input: Input,
  work: (needs: Pick<Parameters<Audit>[0], 'db' | 'chain'>, audit: Audit) => Promise<AuditOutcome>,
): Promise<AuditOutcome> {
  const [audit, network, contracts, connect, time, database, logs, http] = await Promise.all([
    import('@sluice/server/src/audit/audit-money.ts'),
    import('@sluice/server/src/app/network.ts'),
    import('@sluice/server/src/local/deploy-contracts.ts'),
    import('@sluice/server/src/chain/rpc/connect-chain.ts'),
    import('@sluice/server/src/kernel/clock.ts'),
    import('@sluice/server/src/platform/database/database.ts'),
    import('@sluice/server/src/platform/log.ts'),
    import('@sluice/server/src/platform/outbound/http-outbound.ts'),
  ])
  const config = await readServiceConfig(env, input)
  const rpcUrls = rpcUrlsOf(config, env, input)
  const log = logs.makeLog('silent')
  const clock = time.systemClock
  const db = new database.Pool({ url: databaseUrlOf(config, env, input), log, max: 2 })
  const outbound = new http.HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  try {
    await db.row(ping).catch((error: Error) => {
      throw new CliFailure(
        exitCodes.unreachable,
        `The database is unavailable: ${error.message}`,
        'Is the service running? The database of a local service is only available while it runs.',
        'unreachable',
      )
    })
    const local = isLocalNetwork(config.chainId) ? contracts.localContracts() : undefined
    const needs = { outbound, clock, log }
    const chain = connect.connectChain(needs, network.networkOf(config.chainId, local), rpcUrls)
    return await work({ db, chain }, audit.auditMoney)
  } finally {
    await Promise.all([db.close(), outbound.close()])
  }
}

function rpcUrlsOf(config: Config, env: Environment, input: Input): readonly string[] {
  if (config.rpcUrls.length > 0) return config.rpcUrls
  const local = readLocal(env, input)
  if (local) return [local.rpcUrl]
  throw usageError(
    'There is no chain: RPC_URLS is not set, and no local service is running',
    'Run this with the settings of the service, or start a local one with `npm start`.',
  )
}

function readBlock(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return BigInt(text)
  throw usageError('--block must be the number of a block')
}

const ping = { name: 'cli-audit-ping', text: 'SELECT 1' }

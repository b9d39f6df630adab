import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Chain } from '@sluice/server/src/chain/chain.ts'
import type { Clock } from '@sluice/server/src/kernel/clock.ts'
import type { Config } from '@sluice/server/src/platform/settings/config.ts'
import type { TestContext } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'

export type NetworkDesk = { readonly chain: Chain; readonly config: Config; readonly clock: Clock }

/**
 * Runs `work` on the chain that the service's settings name.
 *
 * @throws {CliFailure} with exit code 2 if settings are missing, 3 if no endpoint responds.
 */
export async function withNetwork<T>(
  { env }: TestContext,
  config: Config,
  work: (desk: NetworkDesk) => Promise<T>,
): Promise<T> {
  const [{ systemClock }, { makeLog }, { HttpOutbound }, { connectChain }, { networkOf }] = await Promise.all(
    [
      import('@sluice/server/src/kernel/clock.ts'),
      import('@sluice/server/src/platform/log.ts'),
      import('@sluice/server/src/platform/outbound/http-outbound.ts'),
      import('@sluice/server/src/chain/rpc/connect-chain.ts'),
      import('@sluice/server/src/app/network.ts'),
    ],
  )
  const { localContracts } = await import('@sluice/server/src/local/deploy-contracts.ts')
  if (config.rpcUrls.length === 0)
    throw usageError('RPC_URLS is not set', 'Set it to an endpoint of the chain: see .env.example.')
  const clock = systemClock
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const network = networkOf(config.chainId, isLocalNetwork(config.chainId) ? localContracts() : undefined)
  const log = makeLog(env.LOG_LEVEL === 'debug' ? 'debug' : 'silent')
  const chain = connectChain({ outbound, clock, log }, network, config.rpcUrls)
  try {
    return await work({ chain, config, clock })
  } catch (error) {
    const { ChainUnavailable } = await import('@sluice/server/src/chain/chain-time.ts')
    if (!(error instanceof ChainUnavailable)) throw error
    const hint = `Do the endpoints in RPC_URLS respond, and do they serve chain ${config.chainId}?`
    throw new CliFailure(
      exitCodes.unreachable,
      `The chain is unavailable: ${error.message}`,
      hint,
      'unreachable',
    )
  } finally {
    await outbound.close()
  }
}

import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import type { Log } from '../../../src/platform/log.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

export const offline: Outbound = {
  request: async () => ({ kind: 'error', error: 'network', detail: 'this test has no network' }),
}

/** Returns an unreachable chain whose time is known. */
export function awayChain(needs: { clock: Clock; log: Log }): Chain {
  const network = describeNetwork(31337, localContracts())
  const chain = connectChain({ outbound: offline, ...needs }, network, ['http://127.0.0.1:9'])
  chain.time.note({ number: 1n, at: needs.clock.now() })
  return chain
}

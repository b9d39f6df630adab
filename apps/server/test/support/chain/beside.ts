import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { startApi } from '../api/start-api.ts'
import type { TestDatabase } from '../database/test-database.ts'
import type { PaymentContext } from './payments.ts'

export function startBeside({ api, node, platform }: PaymentContext, database: TestDatabase = api.database) {
  const network = describeNetwork(node.chainId, node.contracts)
  return startApi({
    beside: { database, clock: api.clock },
    platformFeeBps: platform.feeBps,
    platformRecipient: platform.recipient,
    keeperKey: node.accounts[2]?.privateKey,
    chain: (needs) => connectChain(needs, network, [node.rpcUrl]),
  })
}

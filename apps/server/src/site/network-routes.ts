import { networkView } from '@sluice/protocol/api/network.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { type Route, route } from '../access/route.ts'
import type { Chain } from '../chain/chain.ts'

/** The one network of this deployment, for whoever shows amounts, links to an explorer or asks a wallet to pay. */
export function networkRoutes({
  chain,
}: {
  chain: Pick<Chain, 'id' | 'name' | 'explorerUrl' | 'tokens'>
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/network',
      access: { kind: 'public' },
      summary: 'Retrieve the network',
      details: 'The chain that payments are made on, and its tokens.',
      answers: { 200: networkView },
      async handle() {
        const { id, name, explorerUrl = null } = chain
        const tokens = chain.tokens.map(({ symbol, name: called, decimals, address, isStablecoin }) => ({
          symbol,
          name: called,
          decimals,
          address,
          isStablecoin,
        }))
        return { status: 200, body: { id, name, use: findNetwork(id)?.use ?? 'test', explorerUrl, tokens } }
      },
    }),
  ]
}

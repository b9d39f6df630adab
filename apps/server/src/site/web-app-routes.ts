import { type WebAppResponse, webAppResponse } from '@sluice/protocol/api/web-app.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { type Route, route } from '../access/route.ts'
import type { Network } from '../chain/networks.ts'
import { assert } from '../kernel/assert.ts'

/** Fixed URL path of WalletConnect's script. */
export const walletConnectScriptPath = '/assets/walletconnect.js'

export type WebAppNeeds = {
  readonly chain: Pick<Network, 'id' | 'name' | 'explorerUrl' | 'tokens'>
  readonly webApp: {
    readonly platform: { readonly feeBps: number; readonly recipient: string | undefined }
    readonly walletConnectProject: string | undefined
    /** RPC endpoint of the local chain, which is not in public network lists. */
    readonly localRpcUrl: string | undefined
    /** Path of the demo merchant's wallet on a local service. */
    readonly demoWallet: string | undefined
  }
}

export function webAppRoutes(needs: WebAppNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/web-app',
      access: { kind: 'public' },
      description:
        'Retrieve the configuration of the web app. Returns the chain, its tokens and the ways to connect a wallet.',
      responses: { 200: webAppResponse },
      async handle() {
        return { status: 200, body: viewWebApp(needs) }
      },
    }),
  ]
}

function viewWebApp({ chain, webApp }: WebAppNeeds): WebAppResponse {
  const network = findNetwork(chain.id)
  assert(network, 'the configuration rejects other chains')
  const projectId = webApp.walletConnectProject
  return {
    chain: {
      id: chain.id,
      name: chain.name,
      use: network.use,
      explorerUrl: chain.explorerUrl ?? null,
      rpcUrl: webApp.localRpcUrl ?? network.publicRpcUrl ?? null,
      nativeToken: network.nativeToken,
      tokens: chain.tokens.map(({ symbol, decimals, address }) => ({
        symbol,
        decimals,
        address: address === nativeAddress ? null : address,
      })),
    },
    platformFee: { bps: webApp.platform.feeBps, recipient: webApp.platform.recipient ?? null },
    walletConnect: projectId === undefined ? null : { projectId, script: walletConnectScriptPath },
    demoWallet: webApp.demoWallet ?? null,
  }
}

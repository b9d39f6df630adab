import { farAwayMs } from '../chain/far-chain.ts'
import { openRpcProxy, type RpcProxy } from '../chain/rpc-proxy.ts'
import { always } from './chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** A world whose only endpoint is far away and can be held up, and in which days go by. */
export type ProxiedWorld = PaymentWorld & { readonly proxy: RpcProxy }

/** Starts it. */
export async function startProxiedWorld(): Promise<ProxiedWorld> {
  const proxy = await openRpcProxy(farAwayMs)
  const endpoints = (url: string) => {
    proxy.leadTo(url)
    return [proxy.url]
  }
  const world = await startPaymentWorld({ policy: always('seen'), endpoints })
  return {
    ...world,
    proxy,
    async stop() {
      await world.stop()
      await proxy.stop()
    },
  }
}

import { farAwayMs } from '../chain/far-chain.ts'
import { openRpcProxy, type RpcProxy } from '../chain/rpc-proxy.ts'
import { always } from './chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** A world whose only endpoint is far away and can be held up, and in which days go by. */
export type ProxiedWorld = {
  readonly world: PaymentWorld
  readonly proxy: RpcProxy
  /** Reads the new blocks, and then looks at the attempts that are closed. */
  look(): Promise<void>
  /** Time passes on the chain and for the service, and the chain's blocks of that time become final. */
  passTime(seconds: number): Promise<void>
  stop(): Promise<void>
}

/** Starts it. */
export async function startProxiedWorld(): Promise<ProxiedWorld> {
  const proxy = await openRpcProxy(farAwayMs)
  const world = await startPaymentWorld({
    policy: always('seen'),
    endpoints: (url) => {
      proxy.leadTo(url)
      return [proxy.url]
    },
  })
  return {
    world,
    proxy,
    async look() {
      await world.scan()
      await world.lookAtClosed()
    },
    async passTime(seconds) {
      await world.chain.client.increaseTime({ seconds })
      await world.mine(8)
      await world.syncClock()
    },
    async stop() {
      await world.stop()
      await proxy.stop()
    },
  }
}

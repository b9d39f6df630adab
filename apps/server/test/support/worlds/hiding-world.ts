import { type HidingEndpoint, makeHidingEndpoint } from '../chain/hide-logs.ts'
import { always, type ChainOptions } from './chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** A world whose endpoint leaves out logs as it is told; one confirmation is enough. It is near its chain at first. */
export type HidingWorld = PaymentWorld & {
  readonly endpoint: HidingEndpoint
  /** Leaves the logs of transactions out of lists: for ever where nothing else is said. */
  hide(hashes: readonly string[], times?: 'once' | 'for ever'): void
}

/** Starts it. */
export async function startHidingWorld(options: ChainOptions = {}): Promise<HidingWorld> {
  const endpoint = makeHidingEndpoint()
  const world = await startPaymentWorld({ policy: always('seen'), ...options, outbound: endpoint.outbound })
  return {
    ...world,
    endpoint,
    hide: (hashes, times = 'for ever') =>
      endpoint.hide(({ transactionHash }) => hashes.includes(transactionHash), times),
    stop() {
      endpoint.far.isFar = false
      return world.stop()
    },
  }
}

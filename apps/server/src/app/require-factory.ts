import type { Chain } from '../chain/chain.ts'
import { judgeFactory } from '../chain/judge-factory.ts'
import type { Log } from '../platform/log.ts'

/**
 * Refuses to start where this release's factory does not stand: payments could not be shared out, and what is
 * sent to an address without code is spent for nothing.
 *
 * Where no endpoint answers the service starts all the same; readiness and every sender look again.
 *
 * @throws with what to do.
 */
export async function requireFactory(needs: { readonly chain: Chain; readonly log: Log }): Promise<void> {
  const verdict = await judgeFactory(needs.chain).catch((error: unknown) => {
    needs.log.warn({ err: error }, 'the split factory could not be checked; no endpoint answers')
    return undefined
  })
  if (verdict && verdict.kind !== 'stands') throw new Error(verdict.message)
}

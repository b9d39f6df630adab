import type { Clock } from '../kernel/clock.ts'
import { wait } from '../kernel/clock.ts'
import type { Chain } from './chain.ts'
import { type FactoryVerdict, judgeFactory } from './judge-factory.ts'

const patienceMs = 1_000

/** A factory that stood is looked for again after this long; one that did not, at the next question. */
const trustMs = 60_000

/** Says whether the factory stands; `undefined` while no endpoint says so in time. */
export type FactoryWatch = () => Promise<FactoryVerdict | undefined>

/** Looks at the factory for whoever asks, without asking the chain each time. */
export function watchFactory(needs: { readonly chain: Chain; readonly clock: Clock }): FactoryWatch {
  const { chain, clock } = needs
  let last: { verdict: FactoryVerdict; at: number } | undefined
  let looking: Promise<FactoryVerdict | undefined> | undefined
  const look = async () => {
    const verdict = await judgeFactory(chain).catch(() => undefined)
    if (verdict) last = { verdict, at: clock.now() }
    looking = undefined
    return verdict
  }
  return async () => {
    if (last?.verdict.kind === 'stands' && Math.abs(clock.now() - last.at) < trustMs) return last.verdict
    looking ??= look()
    const found = await Promise.race([looking, wait(clock, patienceMs).then(() => undefined)])
    return found ?? last?.verdict
  }
}

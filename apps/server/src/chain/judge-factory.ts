import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { keccak256 } from 'viem'
import { assert } from '../kernel/assert.ts'
import { type Clock, wait } from '../kernel/clock.ts'
import type { Chain } from './chain.ts'

/** Whether this release's factory stands on the chain. Nothing that needs it may be sent before it does. */
export type FactoryVerdict =
  | { readonly kind: 'stands' }
  | { readonly kind: 'missing' | 'other-code'; readonly message: string }

/** What a release has on a chain: what makes splits and deposits, and what pays deposits by permits. */
export type FactoryName = 'factory' | 'pullFactory'

/** How people call them. */
export const factoryNames: Readonly<Record<FactoryName, string>> = {
  factory: 'split factory',
  pullFactory: 'pull factory',
}

type FactoryChain = Pick<Chain, 'name' | 'id' | 'factory' | 'pullFactory' | 'readCode'>

/**
 * Compares the code at a factory's address with the code this release was made with.
 *
 * Its address follows from its code, so other code there means an endpoint that does not tell the truth, or a
 * chain that is not the one it says it is.
 *
 * @throws {ChainUnavailable} where no endpoint answers: then nothing is known.
 */
export async function judgeFactory(
  chain: FactoryChain,
  which: FactoryName = 'factory',
): Promise<FactoryVerdict> {
  const address = chain[which]
  assert(address, 'a chain that has no such factory is not asked for it')
  const code = await chain.readCode(address)
  if (code === '0x') return { kind: 'missing', message: explainNoFactory(chain, which) }
  if (keccak256(code) === releases.current[which].codeHash) return { kind: 'stands' }
  const message = `The code at ${address} on ${chain.name} is not the ${factoryNames[which]}: check RPC_URLS, and run \`npm run cli -- contracts verify\``
  return { kind: 'other-code', message }
}

/** What to do where there is no factory. */
export function explainNoFactory(
  chain: Pick<Chain, 'name' | 'id' | 'factory' | 'pullFactory'>,
  which: FactoryName = 'factory',
): string {
  return `There is no ${factoryNames[which]} at ${chain[which]} on ${chain.name} (chain ${chain.id}): run \`npm run cli -- contracts deploy\``
}

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

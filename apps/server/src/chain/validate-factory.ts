import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { keccak256 } from 'viem'
import { assert } from '../kernel/assert.ts'
import { type Clock, wait } from '../kernel/clock.ts'
import type { Chain } from './chain.ts'

/**
 * Whether this release's factory is deployed. A transaction that needs the factory must not be sent before.
 */
export type FactoryVerdict =
  | { readonly kind: 'stands' }
  | { readonly kind: 'missing' | 'other-code'; readonly message: string }

/** `factory` creates splits and deposits; `pullFactory` collects deposits by permits. */
export type FactoryName = 'factory' | 'pullFactory'

export const factoryNames: Readonly<Record<FactoryName, string>> = {
  factory: 'split factory',
  pullFactory: 'pull factory',
}

type FactoryChain = Pick<Chain, 'name' | 'id' | 'factory' | 'pullFactory' | 'readCode'>

/**
 * Compares the code at a factory's address with the code of this release.
 *
 * The address is derived from the code. Different code means a lying endpoint or the wrong chain.
 *
 * @throws {ChainUnavailable} if no endpoint answers.
 */
export async function validateFactory(
  chain: FactoryChain,
  which: FactoryName = 'factory',
): Promise<FactoryVerdict> {
  const address = chain[which]
  assert(address, 'this chain has this factory')
  const code = await chain.readCode(address)
  if (code === '0x') return { kind: 'missing', message: explainNoFactory(chain, which) }
  if (keccak256(code) === releases.current[which].codeHash) return { kind: 'stands' }
  const message = `The code at ${address} on ${chain.name} is not the ${factoryNames[which]}: check RPC_URLS, and run \`npm run cli -- contracts verify\``
  return { kind: 'other-code', message }
}

export function explainNoFactory(
  chain: Pick<Chain, 'name' | 'id' | 'factory' | 'pullFactory'>,
  which: FactoryName = 'factory',
): string {
  return `There is no ${factoryNames[which]} at ${chain[which]} on ${chain.name} (chain ${chain.id}): run \`npm run cli -- contracts deploy\``
}

const patienceMs = 1_000

/** Interval between checks of a deployed factory. A missing factory is checked at the next call. */
const trustMs = 60_000

/** Returns the verdict on the factory within a second, or `undefined` if it is not known yet. */
export type FactoryWatch = () => Promise<FactoryVerdict | undefined>

/** Creates a cached check of the factory. A deployed factory is checked again after a minute. */
export function watchFactory(needs: { readonly chain: Chain; readonly clock: Clock }): FactoryWatch {
  const { chain, clock } = needs
  let last: { verdict: FactoryVerdict; at: number } | undefined
  let looking: Promise<FactoryVerdict | undefined> | undefined
  const look = async () => {
    const verdict = await validateFactory(chain).catch(() => undefined)
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

import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { keccak256 } from 'viem'
import type { Chain } from './chain.ts'

/** Whether this release's factory stands on the chain. Nothing that needs it may be sent before it does. */
export type FactoryVerdict =
  | { readonly kind: 'stands' }
  | { readonly kind: 'missing' | 'other-code'; readonly message: string }

type FactoryChain = Pick<Chain, 'name' | 'id' | 'factory' | 'readCode'>

/**
 * Compares the code at the factory's address with the code this release was made with.
 *
 * Its address follows from its code, so other code there means an endpoint that does not tell the truth, or a
 * chain that is not the one it says it is.
 *
 * @throws {ChainUnavailable} where no endpoint answers: then nothing is known.
 */
export async function judgeFactory(chain: FactoryChain): Promise<FactoryVerdict> {
  const code = await chain.readCode(chain.factory)
  if (code === '0x') return { kind: 'missing', message: explainNoFactory(chain) }
  if (keccak256(code) === releases.current.factory.codeHash) return { kind: 'stands' }
  const message = `The code at ${chain.factory} on ${chain.name} is not the split factory: check RPC_URLS, and run \`npm run cli -- contracts verify\``
  return { kind: 'other-code', message }
}

/** What to do where there is no factory. */
export function explainNoFactory({ name, id, factory }: Pick<Chain, 'name' | 'id' | 'factory'>): string {
  return `There is no split factory at ${factory} on ${name} (chain ${id}): run \`npm run cli -- contracts deploy\``
}

/**
 * Whether this release's pull factory stands on the chain: without it nobody pays by a permit.
 *
 * @throws {ChainUnavailable}
 */
export async function hasPullFactory({
  pullFactory,
  readCode,
}: Pick<Chain, 'pullFactory' | 'readCode'>): Promise<boolean> {
  if (!pullFactory) return false
  return keccak256(await readCode(pullFactory)) === releases.current.pullFactory.codeHash
}

import { keccak256 } from 'viem'
import { assert } from '../kernel/assert.ts'
import type { Database } from '../platform/database/database.ts'
import type { SplitDraft } from './split.ts'
import { predictSplit, saltOf } from './split-address.ts'
import { insertSplit } from './store.ts'

const saltsTried = 16

/**
 * Stores a version at the address the factory gives it, in the caller's transaction; `undefined` where the
 * merchant has that version already.
 *
 * Anybody can make that very contract first and claim it as his own split, and only one merchant keeps the
 * books of an address. So the next salt is taken then: whoever does it pays gas and stops nobody.
 */
export async function placeSplit(
  tx: Database,
  factory: SplitDraft['address'],
  draft: Omit<SplitDraft, 'address' | 'salt' | 'factory'>,
): Promise<SplitDraft | undefined> {
  for (const salt of saltsOf(draft)) {
    const address = predictSplit(factory, draft.recipients, salt)
    const split = { ...draft, address, salt, factory }
    const outcome = await insertSplit(tx, split)
    if (outcome !== 'address-taken') return outcome === 'stored' ? split : undefined
  }
  assert(false, 'nobody claims so many contracts to be in the way')
}

/** The salts a version is made with, in the order they are tried. */
export function saltsOf({
  merchant,
  version,
}: Pick<SplitDraft, 'merchant' | 'version'>): SplitDraft['salt'][] {
  const salts = [saltOf(merchant, version)]
  while (salts.length < saltsTried) salts.push(keccak256(salts.at(-1) as SplitDraft['salt']))
  return salts
}

import { readAmounts } from '../../chain/read-amounts.ts'
import { findSteps } from '../../kernel/find-steps.ts'
import { splitReleasedCall } from '../../split/distributing/distribute-call.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { type Recovery, recoverBlock, withoutErrors } from './recover-block.ts'
import { readReleased } from './released-store.ts'
import type { ComparedSplit } from './scope-store.ts'

const stepsAtOnce = 20

/**
 * Holds what splits have released by their own account against their books. Sums of what arrived stay right where a
 * log of what went out is left out, but receipts would wait for it for ever: where the contract has released more,
 * the blocks in which it did are read receipt by receipt, from `above` on.
 *
 * Contracts that were taken over are left alone: what they released before is not in the books.
 */
export async function compareReleased(
  needs: ScanNeeds,
  recovery: Recovery,
  splits: readonly ComparedSplit[],
  { above, at }: { readonly above: bigint; readonly at: bigint },
): Promise<void> {
  const { db, chain } = needs
  const books = splits
    .filter(({ readFrom }) => readFrom === 0n)
    .flatMap(({ merchant, split }) => chain.tokens.map(({ address: token }) => ({ merchant, split, token })))
  const booked = await readReleased(db, chain.id, books, at)
  const asked = [...booked.keys()]
  const amounts = await readAmounts(chain, asked.map(callOf), at)
  for (const [i, each] of asked.entries()) {
    if ((amounts[i] ?? 0n) <= (booked.get(each) ?? 0n)) continue
    await withoutErrors(recovery, { ...each, what: 'released' }, async () => {
      const releasedAt = async (block: bigint) => (await readAmounts(chain, [callOf(each)], block))[0] ?? 0n
      const steps = await findSteps(above, at, releasedAt)
      for (const { block } of steps.slice(-stepsAtOnce)) await recoverBlock(needs, recovery, block)
    })
  }
}

function callOf({ split, token }: { split: ComparedSplit['split']; token: ComparedSplit['split'] }) {
  return { to: split, data: splitReleasedCall(token) }
}

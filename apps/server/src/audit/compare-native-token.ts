import type { Chain, Hex } from '../chain/chain.ts'
import { findSteps } from '../kernel/find-steps.ts'
import { type Account, readReceived, sum } from './account.ts'
import { type DifferingTransaction, describeBooked } from './compare-ledger.ts'
import type { BookedAmount } from './ledger.ts'
import type { Movement } from './read-movements.ts'

const namesAtMost = 10

/**
 * Compares a deposit's native balance with the ledger. Returns the differing blocks.
 *
 * Native transfers have no log, so a binary search finds their blocks. The search runs only if the sums
 * differ.
 *
 * @param booked - Entries in any block. An entry without a transaction is recorded at the block in which it
 * was detected, which may be above the compared block.
 */
export async function compareNativeToken(
  needs: { chain: Chain },
  account: Account,
  read: { received: bigint; sweeps: readonly Movement[]; at: bigint },
  booked: readonly BookedAmount[],
): Promise<DifferingTransaction[]> {
  const { chain } = needs
  const { received, sweeps, at } = read
  const until = booked.filter(({ blockNumber }) => blockNumber <= at)
  const noticed = booked.filter((each) => each.blockNumber > at && isNoticed(each))
  if (sum(until) <= received && received <= sum(until) + sum(noticed)) return []

  const steps = await findSteps(account.since, at, (block) => readReceived(chain, account, sweeps, block))
  const left = [...until, ...noticed]
  const differing: DifferingTransaction[] = []
  for (const { block, change } of steps) {
    const { block: body } = await chain.readReceipts(block)
    const own = body.transactions.filter(({ to, value }) => to === account.owner && value > 0n)
    let open = change
    const take = (isRight: (each: BookedAmount) => boolean) => {
      for (let i = 0; i < left.length && open > 0n; i++) {
        const each = left[i]
        if (!each || !isRight(each) || each.amount > open) continue
        left.splice(i--, 1)
        open -= each.amount
      }
    }
    take((each) => own.some(({ hash }) => hash === each.txHash))
    take((each) => isNoticed(each) && each.blockNumber >= block)
    if (open === 0n) continue
    const suspects = (own.length > 0 ? own : body.transactions).slice(0, namesAtMost)
    const where = [
      `${open} arrived at deposit ${account.owner} in block ${block}`,
      ...(own.length > 0
        ? []
        : suspects.map(({ hash }) => `by a call inside one of its transactions, perhaps ${hash}`)),
    ]
    const hash: Hex = own[0]?.hash ?? body.hash
    differing.push({ hash, blockNumber: block, chain: open, ledger: 0n, where })
  }
  for (const each of left.filter((one) => one.blockNumber <= at))
    differing.push({
      hash: each.txHash,
      blockNumber: each.blockNumber,
      chain: 0n,
      ledger: each.amount,
      where: [describeBooked(each), `which never arrived at deposit ${account.owner}`],
    })
  return differing
}

function isNoticed({ txHash, blockHash }: BookedAmount): boolean {
  return txHash === blockHash
}

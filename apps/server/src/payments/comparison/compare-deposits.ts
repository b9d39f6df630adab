import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { readAmounts } from '../../chain/read-amounts.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { findGapSteps, type Gap } from './compare-splits.ts'
import { type Recovery, recoverBlock, withoutErrors } from './recover-block.ts'
import { type ComparedReceipt, listDeposits } from './scope-store.ts'
import { type DepositLedger, readDeposited } from './store.ts'

/** Number of blocks by which a reorg may move a payment before the block in which its attempt was opened. */
const deepestReorg = 100n

/**
 * Compares recorded deposits with balances and sweeps, for every token with transfer logs. If the chain shows
 * more, finds the blocks by bisection and records their transaction receipts. Skips the native coin, which
 * has no logs.
 *
 * @returns the remaining gaps.
 */
export async function compareDeposits(
  needs: ScanNeeds,
  recovery: Recovery,
  receipts: readonly ComparedReceipt[],
  at: bigint,
): Promise<Gap<DepositLedger>[]> {
  const { db, chain } = needs
  const tokens = chain.tokens.map(({ address }) => address).filter((token) => token !== nativeAddress)
  const deposits = Map.groupBy(await listDeposits(db, receipts), keyOf)
  const ledger = receipts.flatMap((receipt) => tokens.map((token): DepositLedger => ({ ...receipt, token })))
  const held = await readHeld(needs, deposits, ledger, at)
  const booked = await readDeposited(db, chain.id, ledger, at)
  const left: Gap<DepositLedger>[] = []
  for (const [i, each] of ledger.entries()) {
    const gap = (held[i] ?? 0n) + (booked[i]?.swept ?? 0n) - (booked[i]?.booked ?? 0n)
    if (gap < 0n) left.push({ ledger: each, gap })
    if (gap <= 0n) continue
    const gapAt = async (block: bigint) => {
      const [holding] = await readHeld(needs, deposits, [each], block)
      const [known] = await readDeposited(db, chain.id, [each], block)
      return (holding ?? 0n) + (known?.swept ?? 0n) - (known?.booked ?? 0n)
    }
    const { merchant, receiptId, token } = each
    await withoutErrors(recovery, { merchant, receiptId, token }, async () => {
      const opened = (deposits.get(keyOf(each)) ?? []).map(({ openedBlock }) => openedBlock)
      const least = opened.reduce((one, other) => (other < one ? other : one), at)
      const first = least > deepestReorg ? least - deepestReorg : 0n
      for (const { block } of await findGapSteps(recovery, first, at, gapAt))
        await recoverBlock(needs, recovery, block)
      if ((await gapAt(at)) !== 0n) left.push({ ledger: each, gap })
    })
  }
  return left
}

async function readHeld(
  { chain }: ScanNeeds,
  deposits: ReadonlyMap<string, readonly { deposit: Wallet }[]>,
  ledger: readonly DepositLedger[],
  at: bigint,
): Promise<bigint[]> {
  const asked = ledger.flatMap((each, i) =>
    (deposits.get(keyOf(each)) ?? []).map(({ deposit }) => ({ i, owner: deposit, token: each.token })),
  )
  const amounts = await readAmounts(chain, asked, at)
  const held = ledger.map(() => 0n)
  for (const [k, { i }] of asked.entries()) held[i] = (held[i] ?? 0n) + (amounts[k] ?? 0n)
  return held
}

function keyOf({ merchant, receiptId }: ComparedReceipt): string {
  return `${merchant} ${receiptId}`
}

import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type AskedAmount, readAmounts } from '../../chain/read-amounts.ts'
import { findSteps } from '../../kernel/find-steps.ts'
import { splitReleasedCall } from '../../split/distributing/distribute-call.ts'
import { listLedgersBehind } from '../../split/ledger/ledger-behind-store.ts'
import type { SplitEvent } from '../../split/split-event.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { type Recovery, recordEvents, recoverBlock, withoutErrors } from './recover-block.ts'
import type { ComparedSplit } from './scope-store.ts'
import { readLogged, readReleased, type SplitLedger } from './store.ts'

const stepsAtOnce = 20

/** Ledgers that differ from the chain. `gap` is in base units, positive if the chain shows more. */
export type Gap<Ledger> = { readonly ledger: Ledger; readonly gap: bigint }

/**
 * Compares the ledgers of splits with the contracts. A split has received the sum of its balance and its
 * released amount. Finds missing blocks by bisection and records their transaction receipts. Records an
 * amount without any log as a payment without a reference.
 *
 * @returns the remaining gaps.
 */
export async function compareSplits(
  needs: ScanNeeds,
  recovery: Recovery,
  splits: readonly ComparedSplit[],
  at: bigint,
): Promise<Gap<SplitLedger>[]> {
  const { db, chain } = needs
  const ledger = splits.flatMap((split) =>
    chain.tokens.map(({ address }): SplitLedger => ({ ...split, token: address })),
  )
  const before = await readBefore(needs, ledger)
  const left: Gap<SplitLedger>[] = []
  const received = await readReceived(needs, ledger, at)
  const logged = await readLogged(db, chain.id, ledger, at)
  for (const [i, each] of ledger.entries()) {
    const gap = (received[i] ?? 0n) - (before.get(each) ?? 0n) - (logged[i] ?? 0n)
    if (gap < 0n) left.push({ ledger: each, gap })
    if (gap <= 0n) continue
    const { merchant, split, token } = each
    await withoutErrors(recovery, { merchant, split, token }, () =>
      closeGap(needs, recovery, { ledger: each, before: before.get(each) ?? 0n }, at),
    )
  }
  return left
}

/**
 * Compares releases. A missed release log leaves the received sums correct, but the receipts concerned would
 * wait permanently. Searches for the blocks with missing releases above block `above`.
 *
 * Skips adopted contracts (`readFrom` above 0): the ledger lacks their earlier releases.
 */
export async function compareReleased(
  needs: ScanNeeds,
  recovery: Recovery,
  splits: readonly ComparedSplit[],
  { above, at }: { readonly above: bigint; readonly at: bigint },
): Promise<void> {
  const { db, chain } = needs
  const behind = await listLedgersBehind(db, chain.id)
  const ledger = splits
    .filter(({ merchant, readFrom }) => readFrom === 0n && !behind.has(merchant))
    .flatMap(({ merchant, split }) => chain.tokens.map(({ address: token }) => ({ merchant, split, token })))
  const booked = await readReleased(db, chain.id, ledger)
  const callOf = ({ split, token }: (typeof ledger)[number]) => ({
    to: split,
    data: splitReleasedCall(token),
  })
  const amounts = await readAmounts(chain, ledger.map(callOf), at)
  for (const [i, each] of ledger.entries()) {
    if ((amounts[i] ?? 0n) <= (booked[i] ?? 0n)) continue
    await withoutErrors(recovery, { ...each, what: 'released' }, async () => {
      const releasedAt = async (block: bigint) => (await readAmounts(chain, [callOf(each)], block))[0] ?? 0n
      const steps = await findSteps(above, at, releasedAt)
      for (const { block } of steps.slice(-stepsAtOnce)) await recoverBlock(needs, recovery, block)
    })
  }
}

async function closeGap(
  needs: ScanNeeds,
  recovery: Recovery,
  { ledger, before }: { ledger: SplitLedger; before: bigint },
  at: bigint,
): Promise<void> {
  const { db, chain, log } = needs
  const gapAt = async (block: bigint) => {
    const [received] = await readReceived(needs, [ledger], block)
    const [logged] = await readLogged(db, chain.id, [ledger], block)
    return (received ?? 0n) - before - (logged ?? 0n)
  }
  for (const { block } of await findGapSteps(recovery, ledger.readFrom, at, gapAt)) {
    await recoverBlock(needs, recovery, block)
    const forced = (await gapAt(block)) - (block > ledger.readFrom ? await gapAt(block - 1n) : 0n)
    if (forced <= 0n) continue
    const header = await chain.findHeader(block)
    if (!header) continue
    const { merchant, split, version, token } = ledger
    log.warn(
      { merchant, split, token, amount: forced.toString(), blockNumber: block.toString() },
      'a split received a payment without a log; recorded as an unmatched payment',
    )
    const owner = { merchant, address: split, version }
    await recordEvents(needs, [{ split, token, owner, event: forcedEvent(needs, ledger, header, forced) }])
  }
}

/**
 * Finds the blocks in which a gap opened. Starts at the last comparison if possible, because nodes prune
 * older state.
 */
export async function findGapSteps(
  { cursor }: Recovery,
  from: bigint,
  at: bigint,
  gapAt: (block: bigint) => Promise<bigint>,
): Promise<{ block: bigint }[]> {
  const isRecent = cursor.number > from && cursor.number < at && (await gapAt(cursor.number)) === 0n
  return (await findSteps(isRecent ? cursor.number : from, at, gapAt)).slice(0, stepsAtOnce)
}

/**
 * Creates an event for an amount without a log. The key is the block's hash with a negative index that is
 * unique per split and token.
 */
function forcedEvent(
  { chain }: ScanNeeds,
  { version, token }: SplitLedger,
  header: { number: bigint; hash: `0x${string}`; at: SplitEvent['place']['at'] },
  amount: bigint,
): SplitEvent {
  const tokenIndex = chain.tokens.findIndex(({ address }) => address === token)
  const { number: blockNumber, hash: blockHash, at } = header
  const logIndex = -1 - Number(version) * chain.tokens.length - tokenIndex
  const place = { blockNumber, blockHash, at, transactionHash: blockHash, logIndex }
  return { kind: 'arrived', how: 'plain', amount, reference: undefined, deposit: undefined, place }
}

async function readReceived(
  { chain }: ScanNeeds,
  ledger: readonly { split: Wallet; token: Wallet }[],
  at: bigint,
): Promise<bigint[]> {
  const asked = ledger.flatMap(({ split, token }): AskedAmount[] => [
    { owner: split, token },
    { to: split, data: splitReleasedCall(token) },
  ])
  const amounts = await readAmounts(chain, asked, at)
  return ledger.map((_, i) => (amounts[2 * i] ?? 0n) + (amounts[2 * i + 1] ?? 0n))
}

async function readBefore(
  needs: ScanNeeds,
  ledger: readonly SplitLedger[],
): Promise<Map<SplitLedger, bigint>> {
  const before = new Map<SplitLedger, bigint>()
  const takenOver = Map.groupBy(
    ledger.filter(({ readFrom }) => readFrom > 0n),
    ({ readFrom }) => readFrom,
  )
  for (const [readFrom, own] of takenOver) {
    const received = await readReceived(needs, own, readFrom)
    for (const [i, each] of own.entries()) before.set(each, received[i] ?? 0n)
  }
  return before
}

import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { askPlaces, machineAway, type Places } from '../../platform/cluster/places.ts'
import type { Database } from '../../platform/database/database.ts'
import { doEach } from '../../platform/jobs/savepoint.ts'
import type { Log } from '../../platform/log.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { type Cursor, dropBlocksAbove, findBlockHashes } from '../cursors/store.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { textOfKey } from '../ledger/payment.ts'
import { listPlacesAbove, type PlacedPayment, takePlacesAbove } from '../ledger/place-store.ts'
import { keepItem } from './keep-item.ts'
import { itemOfLost } from './settle-item.ts'

/** A receipt that lost payments, and the blocks that they stood in. */
export type LostPayments = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly blocks: readonly Hex[]
}

/**
 * Takes back all that stood in blocks above a fork: the blocks, the coin that moved in them, and the money,
 * which is marked and kept; of merchants whose machine is away, that is set aside. What stands in other blocks now is found again when they are read.
 *
 * @param blocks - Those that are part of the chain above the fork, as far as they were read.
 */
export async function rollBackAbove(
  needs: { tx: Database; clock: Clock; log: Log; places?: Places },
  chain: number,
  fork: Cursor,
  blocks: readonly BlockHeader[],
): Promise<LostPayments[]> {
  const { tx } = needs
  const above = await listPlacesAbove(tx, chain, fork.number)
  const away = await needs.places?.awayOf(above.map(merchantOf), tx)
  const isAway = ({ merchant }: PlacedPayment) => away?.has(merchant) ?? false
  await lockReceipts(
    tx,
    above.filter((place) => !isAway(place)),
  )
  const gone = await findBlockHashes(tx, chain, [...new Set(above.map(({ blockNumber }) => blockNumber))])
  await dropBlocksAbove(tx, chain, fork.number)
  const standing = blocks.map(({ hash }) => hash)
  /** By what was lost together: written again where that was undone. */
  const lost = new Map<object, LostPayments[]>()
  const lose = async (places: readonly PlacedPayment[]) =>
    void lost.set(places, await losePlaces(tx, chain, places, standing))
  const keep = async (some: readonly PlacedPayment[], fault: unknown) => {
    lost.delete(some)
    const [first] = some
    const keys = some.map((place) => ({ ...place, goneHash: gone.get(place.blockNumber) }))
    if (first) await keepItem(needs, chain, itemOfLost(first.merchant, first.receiptId, keys), fault)
  }
  const taken = await takePlacesAbove(tx, chain, fork.number)
  for (const own of groupBy(taken.filter(isAway), merchantOf))
    for (const some of groupBy(own, itemOf)) await keep(some, machineAway())
  const there = taken.filter((place) => !isAway(place))
  await doEach(tx, groupBy(there, merchantOf), {
    alone: lose,
    async setAside(places) {
      lost.delete(places)
      await doEach(tx, groupBy(places, itemOf), { alone: lose, setAside: keep })
    },
  })
  return [...lost.values()].flat()
}

/** Marks what stood at places of one merchant, but for what stands in blocks that are part of the chain. */
async function losePlaces(
  tx: Database,
  chain: number,
  places: readonly PlacedPayment[],
  standing: readonly Hex[],
): Promise<LostPayments[]> {
  const [first] = places
  if (!first) return []
  const { merchant } = first
  const blocks = new Map<ReceiptId, Set<Hex>>()
  for (const { receiptId, blockHash } of await loseLogs(tx, chain, merchant, places, standing))
    blocks.set(receiptId, (blocks.get(receiptId) ?? new Set()).add(blockHash))
  return [...blocks].map(([receiptId, hashes]) => ({ merchant, receiptId, blocks: [...hashes] }))
}

/**
 * The deposit addresses to which money above a fork had come: it is looked for there, however old they are. Those of
 * merchants whose machine is away are not known now; the looks at attempts that ended come past the same blocks later.
 */
export async function listLostSources(
  { db, places: machines }: { readonly db: Database; readonly places?: Places | undefined },
  chain: number,
  fork: Cursor,
): Promise<Wallet[]> {
  const sources = new Set<Wallet>()
  for (const places of groupBy(await listPlacesAbove(db, chain, fork.number), merchantOf)) {
    const [first] = places
    if (!first) continue
    const txHashes: Hex[] = [...new Set(places.map(({ txHash }) => txHash))]
    const known = await askPlaces(machines, [first.merchant], async ([there]) =>
      there === undefined ? [] : listKnownLogs(db, chain, there, txHashes, []),
    )
    const placed = new Set(places.map(textOfKey))
    for (const log of known) {
      if (log.kind === 'call' || log.source === undefined) continue
      if (placed.has(textOfKey(log))) sources.add(log.source as Wallet)
    }
  }
  return [...sources]
}

/** Everybody who locks several receipts locks them in this order. */
async function lockReceipts(tx: Database, places: readonly PlacedPayment[]): Promise<void> {
  const refs = new Map(
    places.map(({ merchant, receiptId }) => [`${merchant} ${receiptId}`, { merchant, receiptId }]),
  )
  for (const [, { merchant, receiptId }] of [...refs].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (receiptId !== undefined) await lockReceipt(tx, merchant, receiptId)
}

function groupBy(
  places: readonly PlacedPayment[],
  nameOf: (place: PlacedPayment) => string,
): readonly (readonly PlacedPayment[])[] {
  return [...Map.groupBy(places, nameOf).values()]
}

function merchantOf({ merchant }: PlacedPayment): string {
  return merchant
}

/** A receipt's own goes together; money without one stands alone. */
function itemOf(place: PlacedPayment): string {
  return place.receiptId ?? `/${textOfKey(place)}`
}

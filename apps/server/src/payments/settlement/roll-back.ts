import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { keyOf } from '../../platform/jobs/defer.ts'
import { doEachUnderWay, type UnderWay } from '../../platform/jobs/despite-stuck.ts'
import type { Log } from '../../platform/log.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { type Cursor, dropBlocksAbove, findBlockHashes } from '../cursors/store.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { textOfKey } from '../ledger/payment.ts'
import { dropPlaces, listPlacesAbove, type PlacedPayment } from '../ledger/place-store.ts'
import { keepItem } from './deferred-finding.ts'
import { itemOfLost } from './settle-item.ts'

export type LostPayments = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly blocks: readonly Hex[]
}

type Needs = {
  tx: Database
  clock: Clock
  log: Log
  underWay?: UnderWay
}

/**
 * Rolls back blocks, native moves and payments above a fork. Payments are marked, not deleted.
 *
 * A payment that cannot be marked is deferred. Payments in other blocks are found when those blocks are read.
 *
 * See docs/contract.md#reorgs.
 *
 * @param blocks - Blocks of the chain above the fork that have been read.
 */
export async function rollBackAbove(
  needs: Needs,
  chain: number,
  fork: Cursor,
  blocks: readonly BlockHeader[],
): Promise<LostPayments[]> {
  const { tx } = needs
  const lost: LostPayments[] = []
  const standing = blocks.map(({ hash }) => hash)
  const gone = new Map<bigint, Hex>()
  // Repeats until empty: a placement can be inserted before its receipt is locked.
  for (;;) {
    const above = await listPlacesAbove(tx, chain, fork.number)
    const heights = new Set(above.map(({ blockNumber }) => blockNumber))
    for (const [number, hash] of await findBlockHashes(tx, chain, [...heights])) gone.set(number, hash)
    if (above.length === 0) break
    for (const each of await takeBack(needs, chain, above, { standing, gone })) lost.push(each)
  }
  await dropBlocksAbove(tx, chain, fork.number)
  return lost
}

type Replaced = { readonly standing: readonly Hex[]; readonly gone: ReadonlyMap<bigint, Hex> }

async function takeBack(
  needs: Needs,
  chain: number,
  above: readonly PlacedPayment[],
  { standing, gone }: Replaced,
): Promise<LostPayments[]> {
  const { tx, underWay = { current: undefined, stuck: new Map() } } = needs
  /** Keyed by group, because a group that fails is retried item by item. */
  const lost = new Map<object, LostPayments[]>()
  const lose = async (places: readonly PlacedPayment[]) =>
    void lost.set(places, await losePlaces(tx, chain, places, standing))
  const keep = async (places: readonly PlacedPayment[], error: unknown) => {
    lost.delete(places)
    const [first] = places
    if (!first) return
    const keys = places.map((place) => ({ ...place, goneHash: gone.get(place.blockNumber) }))
    await dropPlaces(tx, chain, first.merchant, places)
    await keepItem(needs, chain, itemOfLost(first.merchant, first.receiptId, keys), error)
  }
  // Consistent lock order of receipts prevents deadlocks.
  const inOrder = above.toSorted((a, b) => (refText(a) < refText(b) ? -1 : 1))
  await doEachUnderWay(tx, underWay, groupBy(inOrder, merchantOf), {
    nameOf: ([place]) => `orphaned payments of ${place?.merchant}`,
    alone: lose,
    async defer(own) {
      lost.delete(own)
      await doEachUnderWay(tx, underWay, groupBy(own, itemOf), {
        nameOf: ([place]) => (place ? keyOf(itemOfLost(place.merchant, place.receiptId, [place])) : ''),
        alone: lose,
        defer: keep,
      })
    },
  })
  return [...lost.values()].flat()
}

async function losePlaces(
  tx: Database,
  chain: number,
  places: readonly PlacedPayment[],
  standing: readonly Hex[],
): Promise<LostPayments[]> {
  const [first] = places
  if (!first) return []
  const { merchant } = first
  for (const receiptId of new Set(places.map((place) => place.receiptId)))
    if (receiptId !== undefined) await lockReceipt(tx, merchant, receiptId)
  await dropPlaces(tx, chain, merchant, places)
  const blocks = new Map<ReceiptId, Set<Hex>>()
  for (const { receiptId, blockHash } of await loseLogs(tx, chain, merchant, places, standing))
    blocks.set(receiptId, (blocks.get(receiptId) ?? new Set()).add(blockHash))
  return [...blocks].map(([receiptId, hashes]) => ({ merchant, receiptId, blocks: [...hashes] }))
}

/**
 * Returns deposit addresses with payments above a fork. These addresses are scanned regardless of their age.
 */
export async function listLostSources(db: Database, chain: number, fork: Cursor): Promise<Wallet[]> {
  const sources = new Set<Wallet>()
  for (const places of groupBy(await listPlacesAbove(db, chain, fork.number), merchantOf)) {
    const [first] = places
    if (!first) continue
    const txHashes: Hex[] = [...new Set(places.map(({ txHash }) => txHash))]
    const known = await listKnownLogs(db, chain, first.merchant, txHashes, [])
    const placed = new Set(places.map(textOfKey))
    for (const log of known) {
      if (log.kind === 'call' || log.source === undefined) continue
      if (placed.has(textOfKey(log))) sources.add(log.source as Wallet)
    }
  }
  return [...sources]
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

function itemOf(place: PlacedPayment): string {
  return place.receiptId ?? `/${textOfKey(place)}`
}

function refText({ merchant, receiptId }: PlacedPayment): string {
  return `${merchant} ${receiptId}`
}

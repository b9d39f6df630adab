import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { recordDistribution } from '../../split/ledger/record-distribution.ts'
import type { BookedEvent } from '../../split/split-event.ts'
import { findSplitOwners, type SplitOwner } from '../../split/store.ts'
import { recordDirectPayments } from '../settlement/record-direct.ts'
import { findReferences, insertBookedBlocks, type ReferenceOwner } from './store.ts'

/** Events of splits, with whose they are. */
export type SplitReading = {
  readonly events: readonly BookedEvent[]
  readonly owners: readonly SplitOwner[]
  readonly references: readonly ReferenceOwner[]
}

/** What booking changed that others wait for. */
export type Booked = { isDue: boolean; readonly settled: { merchant: Wallet; receiptId: string }[] }

/** Before anything was booked. */
export function nothingBooked(): Booked {
  return { isDue: false, settled: [] }
}

/** Finds out whose the splits and the references of events are. */
export async function identify(
  { db, chain }: { readonly db: Database; readonly chain: { readonly id: number } },
  events: readonly BookedEvent[],
): Promise<SplitReading> {
  const splits = [...new Set(events.map(({ split }) => split))]
  const owners = await findSplitOwners(db, chain.id, splits)
  const references = await findReferences(db, chain.id, referencesOf(events))
  return { events, owners, references }
}

/** Writes the events of one merchant's splits into its books, and what that changed into `booked`. */
export async function bookEvents(
  needs: { tx: Database; chain: { readonly id: number }; clock: Clock; random: Random },
  reading: SplitReading,
  merchant: Wallet,
  booked: Booked,
): Promise<void> {
  const { tx, chain, clock } = needs
  for (const owner of reading.owners) {
    if (owner.merchant !== merchant) continue
    const split = await findSplitVersion(tx, merchant, owner.version)
    assert(split, 'an address belongs to a split')
    const own = reading.events.filter((event) => event.split === owner.address)
    const receiptIds = receiptsUnder(reading.references, owner)
    for (const token of new Set(own.map((event) => event.token))) {
      const ofToken = own.flatMap((event) => (event.token === token ? [event.event] : []))
      const recorded = await recordDistribution(tx, split, token, ofToken, receiptIds)
      const place = { chain: chain.id, merchant, split: owner.address, tokenAddress: token }
      await recordDirectPayments(needs, place, ofToken, clock.now())
      booked.isDue ||= recorded.isDue
      booked.settled.push(...recorded.receipts.map((receiptId) => ({ merchant, receiptId })))
    }
    const blocks = new Map(own.map(({ event: { place } }) => [place.blockNumber, place.blockHash]))
    await insertBookedBlocks(
      tx,
      chain.id,
      [...blocks].map(([number, hash]) => ({ number, hash, merchant })),
    )
  }
}

/** Wakes those who wait for what was booked. */
export async function notifyBooked(db: Database, { isDue, settled }: Booked): Promise<void> {
  if (isDue) await notifyJob(db, jobNames.distributeSplits)
  if (settled.length > 0) await notifyJob(db, jobNames.reconcileReceipts)
}

function referencesOf(events: readonly BookedEvent[]): Hex[] {
  return [
    ...new Set(events.flatMap(({ event }) => (event.kind === 'arrived' ? (event.reference ?? []) : []))),
  ]
}

/** By reference: the receipts whose attempts were made for this split. Under another split's it is nobody's. */
function receiptsUnder(references: readonly ReferenceOwner[], owner: SplitOwner): Map<Hex, string> {
  return new Map(
    references.flatMap(({ reference, merchant, receiptId, split }) =>
      merchant === owner.merchant && split === owner.address ? [[reference, receiptId] as const] : [],
    ),
  )
}

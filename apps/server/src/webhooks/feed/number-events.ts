import { createHash } from 'node:crypto'
import { firstPreviousHash } from '@sluice/protocol/api/events.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  type ChainedEvent,
  ensureHead,
  type FeedHead,
  hasUnnumbered,
  listUnnumbered,
  lockHead,
  moveHead,
  saveNumbers,
} from './event-store.ts'

const batchSize = 500

/**
 * Puts all committed events of a merchant into its feed: each gets the next number and the hash that binds
 * it to the one before.
 *
 * Numbers follow the order in which the rows were written, so that of two changes of one receipt, which
 * its row's lock keeps apart, the earlier has the lower number. Only committed rows are seen and the head's
 * row is held meanwhile, so the numbers have no gap and never change. Safe to run from anywhere at any time.
 */
export async function numberEvents(db: Database, merchant: string): Promise<void> {
  while (await hasUnnumbered(db, merchant)) await db.transaction((tx) => numberBatch(tx, merchant))
}

async function numberBatch(tx: Database, merchant: string): Promise<void> {
  await ensureHead(tx, merchant, firstPreviousHash)
  const head = await lockHead(tx, merchant)
  const waiting = await listUnnumbered(tx, merchant, batchSize)
  const { chained, end } = chain(head, waiting)
  if (chained.length === 0) return
  await saveNumbers(tx, merchant, chained)
  await moveHead(tx, merchant, end)
}

/** Gives events their numbers and hashes, from a feed's head on, and says where that ends. */
function chain(
  head: FeedHead,
  events: readonly { readonly id: bigint; readonly body: string }[],
): { readonly chained: ChainedEvent[]; readonly end: FeedHead } {
  let { number, hash } = head
  const chained = events.map(({ id, body }): ChainedEvent => {
    const previousHash = hash
    number += 1n
    hash = chainHash(previousHash, body)
    return { id, number, previousHash, hash }
  })
  return { chained, end: { number, hash } }
}

/** What binds an event to the one before it: SHA-256 over the text of that one's hash and the body. */
export function chainHash(previousHash: string, body: string): string {
  return createHash('sha256').update(previousHash).update(body).digest('hex')
}

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
 * Numbers a merchant's committed events and links each to the previous one by its hash.
 *
 * Numbers follow the order of writes. A receipt's row lock orders its changes, so the earlier change gets the
 * lower number. The lock on the head prevents gaps. Safe to run concurrently.
 *
 * See docs/contract.md#event-feed.
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

/** Returns the SHA-256 of the previous event's hash (as text) followed by the body. */
export function chainHash(previousHash: string, body: string): string {
  return createHash('sha256').update(previousHash).update(body).digest('hex')
}

import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { termsOf } from '../../receipts/search-terms.ts'
import {
  type ClosedReceipt,
  dropReceipts,
  insertArchived,
  listBusyReceipts,
  listOldReceipts,
  lockClosedReceipts,
  makeMonth,
} from './store.ts'

/** A receipt in the order of a walk: by creation. */
export type Place = { readonly createdAt: UnixMs; readonly id: ReceiptId }

/** A document is some kilobytes, and a long one may have hundreds: a page of them is no burden to the database. */
const receiptsPerPage = 50

/**
 * Moves those of a merchant's next old receipts to the archive that were closed before `before` and that nothing is under
 * way for: all of them in one transaction, or none.
 *
 * A receipt that somebody holds is left for the next walk, and so is one whose month is detached.
 *
 * @returns how many were moved, and where the walk goes on; nothing there at its end.
 */
export async function archivePage(
  needs: { readonly db: Database; readonly clock: Clock },
  merchant: Wallet,
  range: { readonly after: Place | undefined; readonly before: UnixMs; readonly final: bigint },
): Promise<{ readonly moved: number; readonly next: Place | undefined }> {
  const { db, clock } = needs
  const { before, final } = range
  const page = await listOldReceipts(db, merchant, range, receiptsPerPage)
  const closed = page.flatMap(({ id, closedAt }) => (closedAt === undefined ? [] : [{ id, closedAt }]))
  const next = page.length < receiptsPerPage ? undefined : page.at(-1)
  const ids = await ofAttachedMonths(db, closed)
  if (ids.length === 0) return { moved: 0, next }
  const moved = await db.transaction(async (tx) => {
    // Whoever changes a receipt locks it: what is judged now stays so until the end.
    const locked = await lockClosedReceipts(tx, merchant, ids, before)
    const busy = new Set(await listBusyReceipts(tx, merchant, locked.map(idOf), final))
    const free = locked.filter(({ id }) => !busy.has(id))
    if (free.length > 0) await move(tx, merchant, free, clock.now())
    return free.length
  })
  return { moved, next }
}

/** Makes the months that were never made; the receipts whose month is there. */
async function ofAttachedMonths(
  db: Database,
  closed: readonly { readonly id: ReceiptId; readonly closedAt: UnixMs }[],
): Promise<ReceiptId[]> {
  const byMonth = Map.groupBy(closed, ({ closedAt }) => new Date(closedAt).toISOString().slice(0, 7))
  const ids: ReceiptId[] = []
  for (const receipts of byMonth.values()) {
    const [first] = receipts
    if (first && (await makeMonth(db, first.closedAt))) ids.push(...receipts.map(idOf))
  }
  return ids
}

async function move(tx: Database, merchant: Wallet, receipts: readonly ClosedReceipt[], now: UnixMs) {
  const stored = await insertArchived(tx, merchant, receipts.map(idOf), now)
  assert(stored === receipts.length, 'each receipt is stored before it is dropped')
  const terms = receipts.flatMap((receipt) => {
    const { id, createdAt } = receipt
    return termsOf(receipt).map((term) => ({ id, createdAt, term }))
  })
  await dropReceipts(tx, merchant, { receipts, terms })
}

function idOf({ id }: { readonly id: ReceiptId }): ReceiptId {
  return id
}

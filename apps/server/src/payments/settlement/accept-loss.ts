import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import { customerTotalCents, openDelivery, type Receipt } from '../../receipts/receipt.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { listAttempts } from '../attempts/store.ts'
import { findCursor, findTags } from '../cursors/store.ts'
import { isReversed } from '../ledger/payment.ts'
import { acceptLostPayments, listPayments } from '../ledger/store.ts'
import { summarizePayments } from '../ledger/summarize-payments.ts'

/**
 * Keeps a receipt paid even though a reorg removed its payment or a provider's delivery is missing.
 *
 * The history records who accepted the loss. If the payment returns to the chain, it counts again.
 *
 * @param receipt - The locked receipt.
 * @returns whether there was a loss to accept.
 */
export async function acceptLoss(
  needs: { tx: Database; clock: Clock; chain: { readonly id: number } },
  receipt: Receipt,
  detail: { readonly by: Wallet; readonly why: string | null },
): Promise<boolean> {
  const { tx, clock, chain } = needs
  const { merchant, id, providerSession } = receipt
  const isOverdue = openDelivery(receipt) !== undefined
  const isGone = receipt.payment?.state === 'orphaned'
  const before = await listPayments(tx, merchant, id)
  const lost = before.filter(isReversed)
  if (lost.length === 0 && !isOverdue && !isGone) return false
  const acceptedAt = clock.now()
  await acceptLostPayments(tx, merchant, id, acceptedAt)
  const payment = summarizePayments({
    total: customerTotalCents(receipt),
    attempts: await listAttempts(tx, merchant, id),
    payments: before.map((each) => (isReversed(each) ? { ...each, acceptedAt } : each)),
    tags: await findTags(tx, chain.id),
    coveredTo: (await findCursor(tx, chain.id, cursorNames.transfers))?.at ?? (0 as UnixMs),
  })
  const transactions = lost.map(({ txHash }) => txHash)
  await recordProgress({ tx, clock }, merchant, id, {
    ...(payment && { payment }),
    ...(isOverdue && providerSession && { providerSession: { ...providerSession, delivery: 'accepted' } }),
    entries: [{ kind: 'loss_accepted', detail: { ...detail, transactions } }],
  })
  return true
}

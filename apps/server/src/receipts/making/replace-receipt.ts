import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { lockReceipt, replaceReceipt, saveProgress } from '../store.ts'

/** A receipt that was asked for, and the one whose place it took if that had other content. */
export type CreatedReceipt = { readonly receipt: Receipt; readonly replaced?: Receipt }

/**
 * Puts `next` in the place of the receipt with its id, decided under the row's lock: an attempt opened or
 * a payment seen meanwhile wins. The history keeps what was replaced, and the receipt its webhook, with the key that
 * signs it, unless `next` names another.
 *
 * @throws {Refusal} `receipt_exists`.
 */
export async function replaceIfUnpaid(
  needs: { db: Database; clock: Clock },
  next: Receipt,
): Promise<CreatedReceipt> {
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, next.merchant, next.id)
    assert(before, 'a receipt is never deleted')
    if (before.contentHash === next.contentHash) return { receipt: before }
    refuseIfTaken(before)
    const now = needs.clock.now()
    const receipt: Receipt = {
      ...next,
      // How far the old offers were, and what they asked for, is nothing of this one.
      payment: undefined,
      ...(next.webhookUrl === undefined && webhookOf(before)),
      splitVersion: before.splitVersion ?? next.splitVersion,
      createdAt: before.createdAt,
      updatedAt: now,
      historyCount: before.historyCount + 1n,
    }
    await replaceReceipt(tx, receipt, before)
    await saveProgress(tx, receipt, {
      seq: receipt.historyCount,
      kind: 'replaced',
      fromStatus: undefined,
      toStatus: undefined,
      detail: { totalCents: Number(before.totalCents), contentHash: before.contentHash },
      at: now,
    })
    return { receipt, replaced: before }
  })
}

function webhookOf({ webhookUrl, keyId, sealedKey }: Receipt): Partial<Receipt> {
  return webhookUrl === undefined ? {} : { webhookUrl, keyId, sealedKey }
}

/** @throws {Refusal} `receipt_exists` where other content may no longer take the receipt's place. */
export function refuseIfTaken(existing: Receipt): void {
  const state = existing.payment?.state ?? 'none'
  const isOpen = existing.status === 'pending' && existing.cancelledAt === undefined
  const isUntouched =
    isOpen && existing.providerSession === undefined && ['none', 'awaiting', 'expired'].includes(state)
  if (existing.format === 'legacy' && existing.origin === 'api' && isUntouched) return
  throw new Refusal('receipt_exists', `Receipt ${existing.id} already exists and can no longer be replaced`)
}

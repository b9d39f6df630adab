import type { FailureFields } from '@sluice/protocol/failures.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { HistoryKind } from './history.ts'
import type { PaymentSummary, ProviderSession, Receipt } from './receipt.ts'
import { lockReceipt, saveProgress } from './store.ts'

/** Facts about the payment that the API shows for a paid receipt. */
export type PaymentFacts = Pick<
  Receipt,
  'transactionHash' | 'transactionAt' | 'token' | 'paidUnits' | 'buyerWallet'
>

export type Progress = {
  readonly payment?: PaymentSummary
  /** Set if a paid receipt must show another transaction. */
  readonly facts?: Partial<PaymentFacts>
  readonly splitVersion?: bigint
  readonly currentAttempt?: string
  readonly providerSession?: ProviderSession
  readonly failure?: FailureFields
  readonly entries?: readonly {
    readonly kind: Exclude<HistoryKind, 'status' | 'created'>
    readonly detail: Readonly<Record<string, unknown>>
  }[]
}

/** Records the payment progress of a receipt. Never changes the status or enqueues a webhook. */
export async function recordProgress(
  needs: { tx: Database; clock: Clock },
  merchant: Wallet,
  id: ReceiptId,
  progress: Progress,
): Promise<Receipt> {
  const before = await lockReceipt(needs.tx, merchant, id)
  assert(before, 'the receipt exists')
  return recordProgressOf(needs, before, progress)
}

/**
 * Same as {@link recordProgress}, for a caller that holds the row lock.
 *
 * @param before - Current state of the locked row.
 */
export async function recordProgressOf(
  needs: { tx: Database; clock: Clock },
  before: Receipt,
  progress: Progress,
): Promise<Receipt> {
  const now = needs.clock.now()
  const entries = progress.entries ?? []
  const receipt: Receipt = {
    ...before,
    ...progress.facts,
    payment: progress.payment ?? before.payment,
    splitVersion: before.splitVersion ?? progress.splitVersion,
    currentAttempt: progress.currentAttempt ?? before.currentAttempt,
    providerSession: progress.providerSession ?? before.providerSession,
    failure: before.status === 'failed' ? (progress.failure ?? before.failure) : before.failure,
    historyCount: before.historyCount + BigInt(entries.length),
    updatedAt: now,
  }
  const rows = entries.map(({ kind, detail }, i) => {
    const seq = before.historyCount + BigInt(i) + 1n
    return { seq, kind, fromStatus: undefined, toStatus: undefined, detail, at: now }
  })
  await saveProgress(needs.tx, receipt, ...rows)
  return receipt
}

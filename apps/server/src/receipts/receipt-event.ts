import { type WebhookBody, webhookIdempotencyKey } from '@sluice/protocol/api/webhook-body.ts'
import { noFailure } from '@sluice/protocol/failures.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { findBrand } from '../site/find-brand.ts'
import { enqueueDelivery } from '../webhooks/enqueue-delivery.ts'
import { recordEvent } from '../webhooks/feed/event-store.ts'
import { customerTotalCents, type Receipt } from './receipt.ts'

/**
 * Records the event of a receipt in the caller's transaction. Also enqueues a webhook if the receipt has a
 * URL and a signing key.
 *
 * See docs/contract.md#webhook-events.
 */
export async function enqueueReceiptEvent(
  needs: { tx: Database; clock: Clock; random: Random },
  receipt: Receipt,
  change: { previousStatus: ReceiptStatus; fact?: EventFact; visit?: number },
): Promise<void> {
  const { fact, visit } = change
  const sourceCents = receipt.providerSession?.sourceCents
  const idempotencyKey = webhookIdempotencyKey(
    receipt.id,
    receipt.status,
    fact ? fact.transactionHash : receipt.transactionHash,
    // A status that is entered again needs a new key, because receivers drop an event with a known key.
    fact?.suffix ?? (visit !== undefined && visit > 1 ? `${visit}` : undefined),
  )
  const reported = {
    merchant: receipt.merchant,
    subject: receipt.id,
    idempotencyKey,
    body: JSON.stringify({
      event: 'receipt.status_updated',
      idempotencyKey,
      receiptId: receipt.id,
      status: receipt.status,
      previousStatus: change.previousStatus,
      ...(receipt.failure ?? noFailure),
      transactionHash: receipt.transactionHash ?? null,
      buyerWallet: receipt.buyerWallet ?? null,
      merchantWallet: receipt.merchant,
      totalUsd: writeCents(receipt.totalCents),
      customerTotalUsd: writeCents(customerTotalCents(receipt)),
      ...(sourceCents !== undefined && { providerSourceAmountUsd: writeCents(sourceCents) }),
      token: await tokenOf(needs.tx, receipt),
      ...viewProviderSession(receipt),
      transactionId: receipt.transactionId ?? null,
      metadata: receipt.metadata ?? null,
      brandKey: receipt.brandKey,
      timestamp: needs.clock.now(),
      sequence: Number(receipt.historyCount),
      paymentState: receipt.payment?.state ?? 'none',
    } satisfies WebhookBody),
  }
  const { webhookUrl, keyId, encryptedKey, brandKey, historyCount } = receipt
  if (webhookUrl && keyId && encryptedKey)
    await enqueueDelivery(needs, {
      ...reported,
      brandKey,
      url: webhookUrl,
      keyId,
      encryptedKey,
      sequence: historyCount,
    })
  else await recordEvent(needs, reported)
}

export function viewProviderSession({ providerSession }: Pick<Receipt, 'providerSession'>) {
  return {
    providerSessionId: providerSession?.sessionId ?? null,
    // The database enforces unique session ids, and a session belongs to one receipt.
    isProviderSessionUnique: providerSession !== undefined,
  }
}

export type EventFact = {
  /** May differ from the receipt's current transaction. */
  readonly transactionHash: string | undefined
  readonly suffix: string
}

/** Returns the attempt's token, or the brand's default token if there is no attempt. */
async function tokenOf(tx: Database, receipt: Receipt): Promise<string> {
  const known = receipt.token ?? receipt.payment?.token
  return known ?? (await findBrand(tx, receipt.brandKey)).defaultPaymentToken
}

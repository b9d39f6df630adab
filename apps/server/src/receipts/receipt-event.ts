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
 * Tells the merchant what a receipt has become, in the caller's transaction: in its feed, and by a webhook
 * where the receipt has a URL and a key to sign with.
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
    // A status that is come to again is news again; under the old key receivers would drop it.
    fact?.suffix ?? (visit !== undefined && visit > 1 ? `${visit}` : undefined),
  )
  const told = {
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
  const { webhookUrl, keyId, sealedKey, brandKey, historyCount } = receipt
  if (webhookUrl && keyId && sealedKey)
    await enqueueDelivery(needs, {
      ...told,
      brandKey,
      url: webhookUrl,
      keyId,
      sealedKey,
      sequence: historyCount,
    })
  else await recordEvent(needs, told)
}

/** The provider's session of a receipt, in webhooks and in what its merchant reads. */
export function viewProviderSession({ providerSession }: Pick<Receipt, 'providerSession'>) {
  return {
    providerSessionId: providerSession?.sessionId ?? null,
    // A session is opened for one receipt; the database holds no id twice.
    isProviderSessionUnique: providerSession !== undefined,
  }
}

/** What is reported beside a change of status, as its key names it. */
export type EventFact = {
  /** The transaction it is about, which may be one that the receipt no longer names. */
  readonly transactionHash: string | undefined
  /** Unlike that of any other fact. */
  readonly suffix: string
}

/** The attempt's token; where there was none, the one the brand names (contract: Site configuration). */
async function tokenOf(tx: Database, receipt: Receipt): Promise<string> {
  const known = receipt.token ?? receipt.payment?.token
  return known ?? (await findBrand(tx, receipt.brandKey)).defaultPaymentToken
}

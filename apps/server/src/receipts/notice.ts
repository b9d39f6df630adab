import { noFailure } from '@sluice/protocol/failures.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import { type WebhookBody, webhookEvent, webhookIdempotencyKey } from '@sluice/protocol/webhook.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import { findBrand } from '../site/find-brand.ts'
import { enqueueNotice } from '../webhooks/enqueue-notice.ts'
import { customerTotalCents, type Receipt } from './receipt.ts'

/**
 * Owes the merchant the webhook for what a receipt has become, in the caller's transaction.
 * Nothing where the receipt has no webhook URL or no key to sign with.
 */
export async function enqueueReceiptNotice(
  needs: { tx: Database; clock: Clock; random: Random },
  receipt: Receipt,
  change: { previousStatus: ReceiptStatus; suffix?: 'orphaned'; visit?: number },
): Promise<void> {
  if (!receipt.webhookUrl || !receipt.keyId || !receipt.sealedKey) return
  const idempotencyKey = webhookIdempotencyKey(
    receipt.id,
    receipt.status,
    receipt.transactionHash,
    // A status that is come to again is news again; under the old key receivers would drop it.
    change.suffix ?? (change.visit !== undefined && change.visit > 1 ? `${change.visit}` : undefined),
  )
  await enqueueNotice(needs, {
    merchant: receipt.merchant,
    subject: receipt.id,
    brandKey: receipt.brandKey,
    url: receipt.webhookUrl,
    keyId: receipt.keyId,
    sealedKey: receipt.sealedKey,
    idempotencyKey,
    sequence: receipt.historyCount,
    body: JSON.stringify({
      event: webhookEvent,
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
      token: await tokenOf(needs.tx, receipt),
      providerSessionId: null,
      isProviderSessionUnique: false,
      transactionId: receipt.transactionId ?? null,
      metadata: receipt.metadata ?? null,
      brandKey: receipt.brandKey,
      timestamp: needs.clock.now(),
      sequence: Number(receipt.historyCount),
      paymentState: receipt.payment?.state ?? 'none',
    } satisfies WebhookBody),
  })
}

/** The attempt's token; where there was none, the one the brand names (contract: Site configuration). */
async function tokenOf(tx: Database, receipt: Receipt): Promise<string> {
  const known = receipt.token ?? receipt.payment?.token
  return known ?? (await findBrand(tx, receipt.brandKey)).defaultPaymentToken
}

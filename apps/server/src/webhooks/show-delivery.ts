import type { DeliveryDetail } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import { count, json, type Parts, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { apiKeyContext, type Secrets } from '../platform/secrets.ts'
import { type Delivery, findDelivery, viewDelivery } from './list-deliveries.ts'
import type { Exchange } from './queued-delivery.ts'
import { signedHeaders } from './sign.ts'

/**
 * Returns a delivery with its attempts and the exact request of its last attempt.
 *
 * @throws {ApiError} `not_found`, also if the delivery belongs to another merchant.
 */
export async function showDelivery(
  needs: { db: Database; secrets: Secrets },
  merchant: Wallet,
  id: string,
): Promise<DeliveryDetail> {
  const delivery = await findDelivery(needs, merchant, id)
  if (!delivery) throw new ApiError('not_found', 'Delivery not found')
  const [request, exchanges] = await Promise.all([
    signAgain(needs, merchant, delivery),
    listExchanges(needs.db, merchant, delivery.id),
  ])
  return { delivery: viewDelivery(delivery), request, exchanges }
}

async function signAgain(
  { db, secrets }: { db: Database; secrets: Secrets },
  merchant: Wallet,
  delivery: Delivery,
): Promise<DeliveryDetail['request']> {
  const last = delivery.attempts.at(-1)
  const sent = last && (await db.row(findSent({ merchant, id: delivery.id })))
  if (!last || !sent || last.error === 'no-key') return null
  const apiKey = openKey(secrets, sent.encryptedKey, apiKeyContext(merchant, sent.keyId))
  if (apiKey === undefined) return null
  const { id, url, idempotencyKey } = delivery
  const { brandKey, body } = sent
  const message = { id, brandKey, deliveryId: last.deliveryId, idempotencyKey, body }
  return { method: 'POST', url, headers: signedHeaders(message, apiKey, last.startedAt), body }
}

/**
 * Returns `undefined` if the key was encrypted with another master key. The response then does not include
 * the request.
 */
function openKey(secrets: Secrets, encrypted: string, context: string): string | undefined {
  try {
    return secrets.open(encrypted, context)
  } catch {
    return undefined
  }
}

const findSent = statement({
  name: 'find-message-sent',
  reads: { brandKey: text(), keyId: text(), encryptedKey: text(), body: text() },
  text: `SELECT brand_key, key_id, encrypted_key, body FROM outbox_message WHERE merchant = :merchant AND id = :id`,
})

async function listExchanges(
  db: Database,
  merchant: Wallet,
  id: string,
): Promise<DeliveryDetail['exchanges']> {
  const rows = await db.rows(list({ merchant, id }))
  return rows.map(({ attempt, exchange }) => ({
    attempt,
    requestHeaders: { ...exchange.requestHeaders },
    responseHeaders: exchange.responseHeaders ? { ...exchange.responseHeaders } : null,
    responseBody: exchange.responseBody ?? null,
    isResponseCut: exchange.isResponseCut ?? false,
  }))
}

type Kept = { readonly attempt: number; readonly exchange: Exchange }

const kept: Parts<Kept> = { attempt: count(), exchange: json<Exchange>() }

const list = statement({
  name: 'list-delivery-exchanges',
  text: `SELECT attempt, exchange FROM delivery_attempt
    WHERE merchant = :merchant AND message_id = :id AND exchange IS NOT NULL ORDER BY attempt`,
  reads: kept,
})

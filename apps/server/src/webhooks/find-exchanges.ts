import type { DeliveryDetail } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Refusal } from '../kernel/refusal.ts'
import { count, json, optional, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { viewDelivery } from './delivery-page.ts'
import type { Exchange } from './exchange.ts'
import { findDelivery } from './list-deliveries.ts'

/**
 * A delivery with what was sent and answered in each of its attempts.
 *
 * @throws {Refusal} `not_found`.
 */
export async function getDelivery(
  needs: { db: Database },
  merchant: Wallet,
  id: string,
): Promise<DeliveryDetail> {
  const delivery = await findDelivery(needs, merchant, id)
  if (!delivery) throw new Refusal('not_found', 'Delivery not found')
  const [body, exchanges] = await Promise.all([
    needs.db.row(findBody({ merchant, id })),
    needs.db.rows(listExchanges({ merchant, id })),
  ])
  const kept = new Map(exchanges.map(({ attempt, exchange }) => [attempt, exchange]))
  const view = viewDelivery(delivery)
  return {
    ...view,
    requestBody: body?.body ?? '',
    attempts: view.attempts.map((attempt) => {
      const exchange = kept.get(attempt.attempt)
      return {
        ...attempt,
        requestHeaders: exchange?.requestHeaders ?? null,
        responseHeaders: exchange?.responseHeaders ?? null,
        responseBody: exchange?.responseBody ?? null,
        isResponseCut: exchange?.isResponseCut ?? false,
      }
    }),
  }
}

const findBody = statement({
  name: 'find-notice-body',
  text: 'SELECT body FROM notice WHERE merchant = :merchant AND id = :id',
  reads: { body: text() },
})

const listExchanges = statement({
  name: 'list-delivery-exchanges',
  text: `SELECT attempt, exchange FROM delivery_attempt WHERE merchant = :merchant AND notice_id = :id ORDER BY attempt`,
  reads: { attempt: count(), exchange: optional(json<Exchange>()) },
})

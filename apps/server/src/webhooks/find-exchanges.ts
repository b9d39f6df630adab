import type { DeliveryDetail } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, json, type Parts } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Exchange } from './exchange.ts'

/** What was sent and answered in the attempts of a delivery, as far as it was kept; the first attempt first. */
export async function listExchanges(
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
    WHERE merchant = :merchant AND notice_id = :id AND exchange IS NOT NULL ORDER BY attempt`,
  reads: kept,
})

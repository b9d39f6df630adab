import {
  createReceiptAnswer,
  createReceiptRequest,
  receiptDetail,
  receiptList,
  receiptStatusAnswer,
} from '@sluice/protocol/api/receipts.ts'
import { Type } from 'typebox'
import { subscriptionOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import { findCoverage } from '../chain/find-coverage.ts'
import type { Clock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import type { RateBook } from '../pricing/rate-book.ts'
import { findSplitVersion } from '../split/find-split.ts'
import { listDeliveries } from '../webhooks/list-deliveries.ts'
import { createReceipt } from './create-receipt.ts'
import { getReceipt } from './get-receipt.ts'
import { listHistory } from './history.ts'
import { listReceiptsPage } from './list-page.ts'
import { parseCreateReceipt } from './parse-create.ts'
import { paymentUrl } from './payment-url.ts'
import { viewDetail, viewListItem, viewStatus } from './view-receipt.ts'

/** What the receipt endpoints lean on. */
export type ReceiptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly rates: RateBook
  readonly brand: { readonly key: string; readonly name: string }
  readonly site: { readonly baseUrl: string; readonly chainId: number; readonly isProduction: boolean }
}

/** Receipts (contract: Endpoints, Receipts). */
export function receiptRoutes(needs: ReceiptNeeds): Route[] {
  const { db, site } = needs
  return [
    route({
      method: 'GET',
      path: '/api/receipts',
      access: { kind: 'key', scope: 'receipts:read' },
      summary: "Lists the merchant's receipts, newest first",
      query: Type.Object({ limit: Type.Optional(Type.String()), cursor: Type.Optional(Type.String()) }),
      answers: { 200: receiptList },
      async handle({ caller, query }) {
        const page = await listReceiptsPage(needs, subscriptionOf(caller).merchant, query)
        return {
          status: 200,
          body: { receipts: page.receipts.map(viewListItem), nextCursor: page.nextCursor },
        }
      },
    }),
    route({
      method: 'POST',
      path: '/api/receipts',
      access: { kind: 'key', scope: 'receipts:write' },
      summary: 'Makes a receipt and the URL where the buyer pays it',
      body: createReceiptRequest,
      answers: { 201: createReceiptAnswer },
      async handle({ caller, body }) {
        const { merchant, keyId, sealedKey } = subscriptionOf(caller)
        const request = parseCreateReceipt(body, site)
        const receipt = await createReceipt(needs, merchant, { keyId, sealedKey }, request)
        return {
          status: 201,
          body: {
            id: receipt.id,
            paymentUrl: paymentUrl(site.baseUrl, receipt),
            status: 'pending',
            redirectUrl: receipt.redirectUrl ?? null,
            webhookUrl: receipt.webhookUrl ?? null,
          },
        }
      },
    }),
    route({
      method: 'GET',
      path: '/api/receipts/status',
      access: { kind: 'key', scope: 'receipts:read' },
      summary: "A receipt's status and payment in short",
      query: Type.Object({ receiptId: Type.Optional(Type.String()) }),
      answers: { 200: receiptStatusAnswer },
      async handle({ caller, query }) {
        if (!query.receiptId) throw new Refusal('missing_receipt_id', 'Send the receipt id as ?receiptId=')
        return {
          status: 200,
          body: viewStatus(await getReceipt(needs, subscriptionOf(caller).merchant, query.receiptId)),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/api/receipts/{id}',
      access: { kind: 'key', scope: 'receipts:read' },
      summary: 'A receipt with everything known of it',
      params: Type.Object({ id: Type.String() }),
      answers: { 200: receiptDetail },
      async handle({ caller, params }) {
        const { merchant } = subscriptionOf(caller)
        const receipt = await getReceipt(needs, merchant, params.id)
        const [history, deliveries, split, coverage] = await Promise.all([
          listHistory(db, merchant, receipt.id),
          listDeliveries(needs, merchant, receipt.id),
          receipt.splitVersion === undefined
            ? undefined
            : findSplitVersion(db, merchant, receipt.splitVersion),
          findCoverage(db, site.chainId),
        ])
        return { status: 200, body: viewDetail(receipt, { history, deliveries, split, coverage }) }
      },
    }),
  ]
}

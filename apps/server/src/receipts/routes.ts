import {
  exportReceiptsQuery,
  listReceiptsQuery,
  receiptSummary,
  receiptSummaryQuery,
} from '@sluice/protocol/api/receipts/filters.ts'
import {
  createReceiptRequest,
  createReceiptResponse,
  receiptDetail,
  receiptList,
} from '@sluice/protocol/api/receipts/receipts.ts'
import { receiptIdQuery, receiptStatusResponse } from '@sluice/protocol/api/receipts/status.ts'
import { receiptTimeline } from '@sluice/protocol/api/receipts/timeline.ts'
import { Type } from 'typebox'
import { type Caller, merchantOf } from '../access/caller.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import { csvRoute, type Route, type RouteOutput, route } from '../access/route.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import { isRateAtHand, prepareRate } from '../pricing/rates/find-rate.ts'
import type { RateBook } from '../pricing/rates/rate-book.ts'
import type { BrandUrls } from '../site/brand-origins.ts'
import { summarizeReceipts } from './counting/summarize-receipts.ts'
import { exportReceipts } from './finding/export-receipts.ts'
import { createReceipt, type ReceiptHomes, tryDraft } from './making/create-receipt.ts'
import type { SigningKey } from './making/make-receipt.ts'
import { parseCreateReceipt } from './making/parse-create.ts'
import { paymentUrl } from './payment-url.ts'
import type { Receipt } from './receipt.ts'
import { insertReceipt } from './store.ts'
import { listReceiptsPage } from './viewing/list-page.ts'
import { getReceipt, loadDetail, loadTimeline } from './viewing/load-detail.ts'
import { viewStatus, withoutBuyer } from './viewing/view-receipt.ts'

export type ReceiptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly homes: ReceiptHomes
  readonly urls: BrandUrls
  /** Chain time, which decides deadlines and late payments. */
  readonly deadlines: Pick<Clock, 'now'>
  readonly rates: RateBook
  readonly secrets: Secrets
  readonly site: { readonly baseUrl: string; readonly chainId: number; readonly isProduction: boolean }
}

const reading = {
  kind: 'key-or-session',
  scope: 'receipts:read',
  roles: ['owner', 'admin', 'developer', 'cashier', 'viewer'],
} as const

export function receiptRoutes(needs: ReceiptNeeds): Route[] {
  return [
    listReceiptsRoute(needs),
    summarizeRoute(needs),
    exportRoute(needs),
    createReceiptRoute(needs),
    showStatusRoute(needs),
    showReceiptRoute(needs),
    showTimelineRoute(needs),
  ]
}

function listReceiptsRoute(needs: ReceiptNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/receipts',
    access: reading,
    description:
      'List receipts. Newest first, or in the order of `sort`. All filters can be combined. A cursor is valid only with the same filters and order.',
    query: listReceiptsQuery,
    responses: { 200: receiptList },
    async handle({ caller, query }) {
      return { status: 200, body: await listReceiptsPage(needs, merchantOf(caller), query) }
    },
  })
}

function summarizeRoute(needs: ReceiptNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/receipts/summary',
    access: reading,
    description:
      'Summarize receipts. Returns counts and totals of the receipts that match the filters. `byStatus` ignores the filter `status`.',
    query: receiptSummaryQuery,
    responses: { 200: receiptSummary },
    handle: async ({ caller, query }) => ({
      status: 200,
      body: await summarizeReceipts(needs, merchantOf(caller), query),
    }),
  })
}

function exportRoute(needs: ReceiptNeeds): Route {
  return csvRoute({
    path: '/api/receipts/export',
    scope: 'receipts:read',
    description:
      'Export receipts as a CSV file. Returns all receipts that match the filters, in the same order as the list.',
    query: exportReceiptsQuery,
    fileName: 'receipts',
    write: async (merchant, query) => exportReceipts(needs, merchant, query),
  })
}

function createReceiptRoute(needs: ReceiptNeeds): Route {
  const { db, site } = needs
  return route({
    method: 'POST',
    path: '/api/receipts',
    access: { kind: 'key-or-session', scope: 'receipts:write' },
    description: 'Create a receipt. Returns the URL where the buyer pays the receipt.',
    body: createReceiptRequest,
    responses: { 201: createReceiptResponse },
    document: { apiErrors: ['receipt_exists', 'exchange_rate_unavailable'] },
    prepare: ({ body }) => prepareRate(needs, body.currency),
    async handle({ caller, body }) {
      const request = parseCreateReceipt(body, site)
      const key = await signingKeyOf(db, caller)
      const { receipt, replaced } = await createReceipt(needs, merchantOf(caller), key, request)
      const response = await viewCreated(needs, receipt)
      if (!replaced) return response
      const isKept = request.webhookUrl === undefined && receipt.webhookUrl !== undefined
      const message = `replaced a receipt with different content${isKept ? ', and keeps its webhook_url' : ''}`
      return {
        ...response,
        body: { ...response.body, warnings: [{ path: 'id', message, didYouMean: null }] },
      }
    },
    idempotency: {
      async respond({ caller, body }, keyed, write) {
        // A repeated request must not fetch a rate.
        if (!isRateAtHand(needs, body.currency)) return undefined
        const drafted = async () => {
          const request = parseCreateReceipt(body, site)
          return tryDraft(needs, merchantOf(caller), await signingKeyOf(db, caller), request)
        }
        const receipt = await drafted().catch(() => undefined)
        if (!receipt) return undefined
        const response = write(await viewCreated(needs, receipt))
        const isMade = await insertReceipt(db, receipt, { request: keyed, response, at: needs.clock.now() })
        return isMade ? { ...response, isReplay: false } : undefined
      },
    },
  })
}

async function viewCreated(
  needs: Pick<ReceiptNeeds, 'urls'>,
  receipt: Receipt,
): Promise<RouteOutput & { readonly status: 201; readonly body: object }> {
  return {
    status: 201,
    body: {
      id: receipt.id,
      paymentUrl: paymentUrl(await needs.urls.of(receipt.brandKey), receipt),
      status: 'pending',
      redirectUrl: receipt.redirectUrl ?? null,
      webhookUrl: receipt.webhookUrl ?? null,
    },
  }
}

function showStatusRoute(needs: ReceiptNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/receipts/status',
    access: reading,
    description: 'Retrieve the status of a receipt.',
    query: receiptIdQuery,
    responses: { 200: receiptStatusResponse },
    document: { apiErrors: ['missing_receipt_id', 'not_found'] },
    async handle({ caller, query }) {
      if (!query.receiptId) throw new ApiError('missing_receipt_id', 'Send the receipt id as ?receiptId=')
      return {
        status: 200,
        body: viewStatus(await getReceipt(needs, merchantOf(caller), query.receiptId)),
      }
    },
  })
}

function showReceiptRoute(needs: ReceiptNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/receipts/{id}',
    access: reading,
    description:
      'Retrieve a receipt. For a cashier, the response contains no personal data of the buyer and no `metadata`.',
    params: Type.Object({ id: Type.String() }),
    responses: { 200: receiptDetail },
    async handle({ caller, params }) {
      const detail = await loadDetail(needs, merchantOf(caller), params.id)
      const isCashier = caller.kind === 'session' && caller.role === 'cashier'
      return { status: 200, body: isCashier ? withoutBuyer(detail) : detail }
    },
  })
}

function showTimelineRoute(needs: ReceiptNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/receipts/{id}/timeline',
    access: { kind: 'key-or-session', scope: 'receipts:read' },
    description:
      'Retrieve the timeline of a receipt. Returns all events, all webhook attempts and all reports of checkout pages.',
    params: Type.Object({ id: Type.String() }),
    responses: { 200: receiptTimeline },
    async handle({ caller, params }) {
      const receipt = await getReceipt(needs, merchantOf(caller), params.id)
      return { status: 200, body: await loadTimeline(needs, receipt) }
    },
  })
}

async function signingKeyOf(db: Database, caller: Caller): Promise<SigningKey | undefined> {
  if (caller.kind !== 'subscription') return findSigningKey(db, merchantOf(caller))
  const { keyId, encryptedKey } = caller
  return { keyId, encryptedKey }
}

import { cancelReceiptResponse } from '@sluice/protocol/api/receipts/cancel.ts'
import { editReceiptRequest, editReceiptResponse } from '@sluice/protocol/api/receipts/edit.ts'
import { refundRequest } from '@sluice/protocol/api/receipts/refunds.ts'
import {
  receiptIdQuery,
  reportStatusPromise,
  reportStatusRequest,
  reportStatusResponse,
} from '@sluice/protocol/api/receipts/status.ts'
import {
  checkPaymentResponse,
  terminalRequest,
  terminalResponse,
} from '@sluice/protocol/api/receipts/terminal.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import { Type } from 'typebox'
import { type Caller, merchantOf, type SessionCaller, sessionOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import { findCoverage } from '../../chain/find-coverage.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { prepareRate } from '../../pricing/rates/find-rate.ts'
import { brandBaseUrl } from '../../site/brand.ts'
import type { BrandUrls } from '../../site/brand-origins.ts'
import { findBrandOfMerchant } from '../../site/find-brand.ts'
import { createTerminalReceipt, type TerminalNeeds } from '../making/create-terminal.ts'
import { customerTotalCents } from '../receipt.ts'
import { logRefund, parseRefund } from '../refunds/log-refund.ts'
import type { CloseOffers } from '../refunds/withdraw-request.ts'
import { countTelemetry } from '../viewing/count-telemetry.ts'
import { getReceipt, loadDetail } from '../viewing/load-detail.ts'
import { viewListItem, viewPayment } from '../viewing/view-receipt.ts'
import { cancelReceipt, editReceipt, type WithdrawOffers } from './edit-receipt.ts'
import { type AcceptLoss, changeReportedStatus, parseStatusReport, type Reopen } from './report-status.ts'

export type ManagingNeeds = Omit<TerminalNeeds, 'brand'> & {
  readonly urls: BrandUrls
  readonly site: { readonly baseUrl: string; readonly chainId: number; readonly isProduction: boolean }
  readonly reopen: Reopen
  readonly withdrawOffers: WithdrawOffers
  readonly closeOffers: CloseOffers
  readonly log: Log
  readonly secrets: Secrets
  readonly acceptLoss: AcceptLoss
}

const managers = { kind: 'session', roles: ['owner', 'admin'] } as const
const sensitive = { kind: 'session', roles: ['owner', 'admin', 'operator'] } as const

export function managingRoutes(needs: ManagingNeeds): Route[] {
  return [
    reportStatusRoute(needs),
    editReceiptRoute(needs),
    cancelReceiptRoute(needs),
    logRefundRoute(needs),
    createTerminalReceiptRoute(needs),
    checkPaymentRoute(needs),
  ]
}

function reportStatusRoute(needs: ManagingNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/receipts/status',
    access: { kind: 'judged-later' },
    description:
      'Report the status of a receipt. Anyone can report checkout telemetry, which does not change the receipt. Reporting `checkout_success` or `refund_requested` requires an admin session.',
    body: reportStatusRequest,
    responses: { 200: reportStatusResponse },
    document: {
      responses: { 200: reportStatusPromise },
      apiErrors: ['missing_receipt_id', 'invalid_wallet', 'missing_status', 'not_found'],
    },
    async handle({ caller, body, limit, correlationId }) {
      const report = parseStatusReport(body)
      const { receiptId, wallet, value } = report
      if (report.kind === 'telemetry') {
        await limit('telemetry', `${wallet} ${receiptId}`)
        await countTelemetry(needs, wallet, receiptId, value)
      } else {
        const session = await validateSensitive(caller)
        const change = await changeReportedStatus(needs, { ...session, correlationId }, report)
        if (change.kind === 'moved') await notifyJob(needs, jobNames.deliverWebhooks)
      }
      return { status: 200, body: { ok: true } }
    },
  })
}

function editReceiptRoute(needs: ManagingNeeds): Route {
  return route({
    method: 'PATCH',
    path: '/api/receipts/{id}',
    access: managers,
    description: 'Update the line items of an unpaid receipt. The amounts are in US dollars.',
    params: Type.Object({ id: Type.String() }),
    body: editReceiptRequest,
    responses: { 200: editReceiptResponse },
    document: { apiErrors: ['attempt_open'] },
    async handle({ caller, params: { id }, body, correlationId }) {
      const actor = { ...sessionOf(caller), correlationId }
      const receipt = await editReceipt(needs, merchantOf(caller), actor, id, body)
      return {
        status: 200,
        body: { ok: true, receipt: await loadDetail(needs, receipt.merchant, receipt.id) },
      }
    },
  })
}

function cancelReceiptRoute(needs: ManagingNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/receipts/{id}/cancel',
    access: { kind: 'key-or-session', scope: 'receipts:write', roles: ['owner', 'admin', 'cashier'] },
    description:
      'Cancel an unpaid receipt. The receipt can no longer be paid, and reserved stock is released. The status stays pending, no webhook is sent, and a payment that is already on its way is still credited. A cashier can cancel terminal sales only.',
    params: Type.Object({ id: Type.String() }),
    responses: { 200: cancelReceiptResponse },
    async handle({ caller, params }) {
      const by = caller.kind === 'subscription' ? caller.subscriptionId : sessionOf(caller).wallet
      const isCashier = caller.kind === 'session' && caller.role === 'cashier'
      const cancelling = { by, onlyOrigin: isCashier ? ('terminal' as const) : undefined }
      const { id, status, cancelledAt } = await cancelReceipt(
        needs,
        merchantOf(caller),
        cancelling,
        params.id,
      )
      return { status: 200, body: { ok: true, id, status, cancelledAt } }
    },
  })
}

function logRefundRoute(needs: ManagingNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/receipts/refund',
    access: { ...managers, isFresh: true },
    description:
      'Log a refund. With a transaction hash, the refund counts once the transaction is final. Credited payments of an unpaid receipt can also be refunded, which cancels the receipt.',
    body: refundRequest,
    responses: { 200: reportStatusResponse },
    document: {
      apiErrors: ['missing_receipt_id', 'invalid_wallet', 'invalid_buyer', 'invalid_usd', 'not_found'],
    },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      const input = parseRefund(body)
      if (input.wallet !== merchant) throw otherMerchant()
      await logRefund(needs, merchant, { ...sessionOf(caller), correlationId }, input)
      await notifyJob(needs, input.txHash ? jobNames.verifyRefunds : jobNames.deliverWebhooks)
      return { status: 200, body: { ok: true } }
    },
  })
}

function createTerminalReceiptRoute(needs: ManagingNeeds): Route {
  const { db, site } = needs
  return route({
    method: 'POST',
    path: '/api/receipts/terminal',
    access: { kind: 'session', roles: ['owner', 'admin', 'cashier'] },
    description: 'Create a receipt at the point of sale. Takes a single amount instead of line items.',
    body: terminalRequest,
    responses: { 200: terminalResponse },
    document: { apiErrors: ['invalid_amount', 'split_required', 'exchange_rate_unavailable'] },
    prepare: ({ body }) => prepareRate(needs, body.currency),
    async handle({ caller, body }) {
      const merchant = merchantOf(caller)
      const brand = await findBrandOfMerchant(db, merchant)
      const receipt = await createTerminalReceipt({ ...needs, brand }, merchant, body)
      const paymentUrl = `${brandBaseUrl(brand, site.baseUrl)}/pay/${receipt.id}`
      const customerTotalUsd = writeCents(customerTotalCents(receipt))
      return {
        status: 200,
        body: {
          ok: true,
          receipt: { ...viewListItem(receipt, needs.deadlines.now()), customerTotalUsd },
          paymentUrl,
        },
      }
    },
  })
}

function checkPaymentRoute(needs: ManagingNeeds): Route {
  const { db, site } = needs
  return route({
    method: 'GET',
    path: '/api/terminal/check-payment',
    access: {
      kind: 'key-or-session',
      scope: 'receipts:read',
      roles: ['owner', 'admin', 'developer', 'cashier', 'viewer'],
    },
    description:
      'Check whether a receipt is paid. Returns a short response for polling at the point of sale.',
    query: receiptIdQuery,
    responses: { 200: checkPaymentResponse },
    document: { apiErrors: ['missing_receipt_id', 'not_found'] },
    async handle({ caller, query }) {
      if (!query.receiptId) throw new ApiError('missing_receipt_id', 'Send the receipt id as ?receiptId=')
      const receipt = await getReceipt(needs, merchantOf(caller), query.receiptId)
      const { status, transactionHash = null } = receipt
      const coverage = await findCoverage(db, site.chainId)
      const paid = status === 'paid' || status === 'reconciled'
      const payment = viewPayment(receipt, coverage)
      return { status: 200, body: { ok: true, paid, status, transactionHash, payment } }
    },
  })
}

/**
 * Returns the session of an admin. An anonymous caller gets `forbidden` too, because a checkout page cannot
 * use a login challenge.
 */
async function validateSensitive(caller: Caller): Promise<SessionCaller> {
  if (caller.kind !== 'deferred') throw new Error('the route checks its caller')
  try {
    return sessionOf(await caller.evaluate(sensitive))
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'unauthorized')) throw error
    throw new ApiError('forbidden', 'This status requires an admin session', {}, { cause: error })
  }
}

function otherMerchant(): ApiError {
  return new ApiError('forbidden', 'This session belongs to another merchant')
}

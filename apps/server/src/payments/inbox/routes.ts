import { exportPaymentsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import {
  unmatchedDecisionRequest,
  unmatchedDecisionResponse,
  unmatchedList,
  unmatchedQuery,
} from '@sluice/protocol/api/receipts/refunds.ts'
import { Type } from 'typebox'
import { merchantOf, sessionOf } from '../../access/caller.ts'
import { csvRoute, type Route, route } from '../../access/route.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { exportPayments } from '../tracking/export-payments.ts'
import { type DecideNeeds, decideUnmatched } from './decide-unmatched.ts'
import { listUnmatchedPage, viewWithClaims } from './list-unmatched.ts'

export function unmatchedRoutes(needs: DecideNeeds): Route[] {
  return [
    exportRoute(needs),
    route({
      method: 'GET',
      path: '/api/payments/unmatched',
      access: { kind: 'key-or-session', scope: 'receipts:read' },
      description:
        'List unmatched payments. Returns payments to the merchant that match no receipt, newest first.',
      query: unmatchedQuery,
      responses: { 200: unmatchedList },
      async handle({ caller, query }) {
        return { status: 200, body: await listUnmatchedPage(needs, merchantOf(caller), query) }
      },
    }),
    route({
      method: 'POST',
      path: '/api/payments/unmatched/{id}',
      access: { kind: 'session', roles: ['owner', 'admin'], isFresh: true },
      description:
        'Resolve an unmatched payment. Applies the payment to a receipt, records its refund, or keeps it.',
      params: Type.Object({ id: Type.String() }),
      body: unmatchedDecisionRequest,
      responses: { 200: unmatchedDecisionResponse },
      document: { apiErrors: ['split_required', 'exchange_rate_unavailable'] },
      async prepare({ body }) {
        if (body.action !== 'apply') return
        await Promise.all(needs.chain.tokens.map(({ symbol }) => needs.rates.freshen(symbol)))
      },
      async handle({ caller, params: { id }, body, correlationId }) {
        const actor = { ...sessionOf(caller), correlationId }
        const payment = await decideUnmatched(needs, merchantOf(caller), actor, id, body)
        if (body.txHash) await notifyJob(needs, jobNames.verifyRefunds)
        const [viewed] = await viewWithClaims(needs, merchantOf(caller), [payment])
        return { status: 200, body: { ok: true, payment: viewed } }
      },
    }),
  ]
}

function exportRoute(needs: DecideNeeds): Route {
  return csvRoute({
    path: '/api/payments/export',
    scope: 'receipts:read',
    description:
      "Export payments as a CSV file. Returns all detected payments for the merchant's receipts, in chain order.",
    query: exportPaymentsQuery,
    fileName: 'payments',
    write: (merchant, query) => exportPayments(needs, merchant, query),
  })
}

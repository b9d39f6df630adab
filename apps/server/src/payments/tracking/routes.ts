import { questionList } from '@sluice/protocol/api/deposits.ts'
import { listQuery } from '@sluice/protocol/api/documented.ts'
import { receiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import { Type } from 'typebox'
import { merchantOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import { findMoney } from './find-money.ts'
import type { TrackingNeeds } from './find-tracker.ts'
import { listQuestions } from './list-questions.ts'

/** Where the money of a receipt is, for its merchant. */
export function trackingRoutes(needs: TrackingNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/receipts/{id}/money',
      access: {
        kind: 'key-or-session',
        scope: 'receipts:read',
        roles: ['owner', 'admin', 'developer', 'cashier', 'viewer'],
      },
      description:
        'Track the money of a receipt. Every base unit on its way from the buyer to each recipient: payments with block and finality, the sweeps of their deposit addresses, and the part of each recipient.',
      params: Type.Object({ id: Type.String() }),
      answers: { 200: receiptMoney },
      async handle({ caller, params }) {
        return { status: 200, body: await findMoney(needs, merchantOf(caller), params.id) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/payments/questions',
      access: { kind: 'key-or-session', scope: 'receipts:read' },
      description:
        'List open questions about money. Receipts whose payment disappeared from the chain with its block and that nothing has paid since, cancelled ones that were paid in part, and those with a refund whose transaction is missing, newest first.',
      query: listQuery,
      answers: { 200: questionList },
      async handle({ caller, query }) {
        return { status: 200, body: await listQuestions(needs.db, merchantOf(caller), query) }
      },
    }),
  ]
}

import { receiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import { Type } from 'typebox'
import { merchantOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { getReceipt } from '../../receipts/viewing/get-receipt.ts'
import { viewMoney } from './view-money.ts'

/** Where the money of a receipt is. */
export function trackingRoutes(needs: { readonly db: Database; readonly chain: Chain }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/receipts/{id}/money',
      access: { kind: 'key-or-session', scope: 'receipts:read' },
      summary: 'Follow the money of a receipt',
      details:
        'Each payment with its confirmations and its sweep, and what each recipient of the split got of them.',
      params: Type.Object({ id: Type.String() }),
      answers: { 200: receiptMoney },
      document: { refusals: ['not_found'] },
      async handle({ caller, params }) {
        const receipt = await getReceipt(needs, merchantOf(caller), params.id)
        return { status: 200, body: await viewMoney(needs, receipt) }
      },
    }),
  ]
}

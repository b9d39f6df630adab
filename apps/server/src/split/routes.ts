import { splitAnswer, splitTransactions, splitTransactionsQuery } from '@sluice/protocol/api/split.ts'
import { merchantOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import type { Chain } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import { findCurrentSplit } from './find-split.ts'
import { listSplitTransactions } from './list-transactions.ts'
import { viewSplit } from './view-split.ts'

/** What the split endpoints lean on. */
export type SplitNeeds = { readonly db: Database; readonly chain: Pick<Chain, 'id' | 'tokens'> }

/** Split (contract: Endpoints, Split). */
export function splitRoutes(needs: SplitNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/split/deploy',
      access: { kind: 'key-or-session', scope: 'split:read' },
      summary: "The merchant's split: its contract and who gets which share",
      answers: { 200: splitAnswer },
      async handle({ caller }) {
        const split = await findCurrentSplit(needs.db, merchantOf(caller))
        return { status: 200, body: { split: viewSplit(split, needs.chain.id) } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/split/transactions',
      access: { kind: 'key-or-session', scope: 'split:read' },
      summary: 'Payments as they went through the split, newest first',
      query: splitTransactionsQuery,
      answers: { 200: splitTransactions },
      async handle({ caller, query }) {
        const merchant = merchantOf(caller)
        const { transactions, nextCursor } = await listSplitTransactions(needs, merchant, query)
        return {
          status: 200,
          body: transactions,
          ...(nextCursor !== undefined && { headers: { 'X-Next-Cursor': nextCursor } }),
        }
      },
    }),
    route({
      method: 'POST',
      path: '/api/split/withdraw',
      access: { kind: 'known' },
      summary: 'Deprecated: recipients take their money from the contract themselves',
      answers: {},
      async handle() {
        throw new Refusal(
          'deprecated',
          "Withdrawals are not made here: connect the recipient's wallet and call the split contract's release",
          { reason: 'use_connected_wallet' },
        )
      },
    }),
  ]
}

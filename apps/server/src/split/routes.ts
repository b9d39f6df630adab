import {
  type DeploySplitResponse,
  deploySplitRequest,
  deploySplitResponse,
  splitResponse,
  splitTransactions,
  splitTransactionsQuery,
} from '@sluice/protocol/api/split.ts'
import { Type } from 'typebox'
import { appendAudit } from '../access/audit/append-audit.ts'
import { actorOf, merchantOf } from '../access/caller.ts'
import { csvRoute, type Route, route } from '../access/route.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Database } from '../platform/database/database.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { findCurrentSplit } from './find-split.ts'
import { exportSplitTransactions } from './ledger/export-transactions.ts'
import { listSplitTransactions } from './ledger/list-transactions.ts'
import { adoptSplit, proveSplit } from './setup/adopt-split.ts'
import { configureSplit } from './setup/configure-split.ts'
import { type SplitNeeds, viewDeployCall, viewRecipients, viewSplit } from './setup/view-split.ts'
import type { Split, SplitDraft } from './split.ts'
import { splitVersionRoutes } from './versions/routes.ts'
import { findPendingSplit } from './versions/store.ts'

export function splitRoutes(needs: SplitNeeds): Route[] {
  return [
    showSplitRoute(needs),
    deploySplitRoute(needs),
    listTransactionsRoute(needs),
    exportTransactionsRoute(needs),
    withdrawRoute(),
    ...splitVersionRoutes(needs),
  ]
}

function showSplitRoute({ db, chain }: SplitNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/split/deploy',
    access: { kind: 'key-or-session', scope: 'split:read' },
    description: 'Retrieve the split. Returns its contract and the share of each recipient.',
    responses: { 200: splitResponse },
    async handle({ caller }) {
      const merchant = merchantOf(caller)
      const [split, pending] = await Promise.all([
        findCurrentSplit(db, merchant),
        findPendingSplit(db, merchant),
      ])
      return { status: 200, body: { split: viewSplit(split, chain.id, pending) } }
    },
  })
}

function deploySplitRoute(needs: SplitNeeds): Route {
  const { db, clock, chain, splits } = needs
  return route({
    method: 'POST',
    path: '/api/split/deploy',
    access: { kind: 'session', roles: ['owner', 'admin'], isFresh: true },
    limit: 'configWrites',
    description:
      "Configure the split. Creates the merchant's split, or adopts one that is already deployed. An existing split is not changed.",
    body: deploySplitRequest,
    responses: { 200: deploySplitResponse },
    document: { apiErrors: ['platform_recipient_not_configured', 'chain_unavailable'] },
    intake: {
      async respondEarly(caller) {
        const split = await findCurrentSplit(db, merchantOf(caller))
        return split && { status: 200, body: await respondToDeploy(needs, split, true) }
      },
    },
    async prepare({ caller, body: { splitAddress, recipients, salt } }) {
      if (splitAddress === undefined) return undefined
      const parts = { db, clock, chain, platform: splits.platform }
      return proveSplit(parts, merchantOf(caller), { splitAddress, recipients, salt })
    },
    async handle({ caller, body, prepared, correlationId }) {
      const merchant = merchantOf(caller)
      const { splitAddress, recipients } = body
      const parts = { db, clock, chain, platform: splits.platform }
      const { split, idempotent } =
        splitAddress === undefined
          ? await configureSplit(parts, merchant, { recipients }, audit)
          : await adoptSplit(parts, merchant, prepared, audit)
      if (!idempotent) await notifyJob(needs, jobNames.deploySplits)
      return { status: 200, body: await respondToDeploy(needs, split, idempotent) }

      function audit(tx: Database, made: SplitDraft) {
        return appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'split.configured',
            subject: made.address,
            details: { recipients: viewRecipients(made.recipients), adopted: splitAddress !== undefined },
            correlationId,
          },
        )
      }
    },
  })
}

function listTransactionsRoute(needs: SplitNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/split/transactions',
    access: { kind: 'key-or-session', scope: 'split:read' },
    description: 'List transactions of the split. Returns payments through the split, newest first.',
    query: splitTransactionsQuery,
    responses: { 200: splitTransactions },
    async handle({ caller, query }) {
      const merchant = merchantOf(caller)
      const { transactions, nextCursor } = await listSplitTransactions(needs, merchant, query)
      return {
        status: 200,
        body: transactions,
        ...(nextCursor !== null && { headers: { 'X-Next-Cursor': nextCursor } }),
      }
    },
  })
}

function exportTransactionsRoute(needs: SplitNeeds): Route {
  return csvRoute({
    path: '/api/split/transactions/export',
    scope: 'split:read',
    description: 'Export transactions of the split as a CSV file.',
    query: Type.Object({ address: splitTransactionsQuery.properties.address }),
    fileName: 'split-transactions',
    write: async (merchant, query) => exportSplitTransactions(needs, merchant, query),
  })
}

function withdrawRoute(): Route {
  return route({
    method: 'POST',
    path: '/api/split/withdraw',
    access: { kind: 'known' },
    description: 'Withdraw from the split (deprecated). Recipients withdraw from the contract themselves.',
    responses: {},
    intake: { refuseAll: refuseWithdrawal },
    async handle() {
      return refuseWithdrawal()
    },
  })
}

async function respondToDeploy(
  { db, chain, splits }: SplitNeeds,
  split: Split,
  idempotent: boolean,
): Promise<DeploySplitResponse> {
  return {
    ok: true,
    split: viewSplit(split, chain.id, await findPendingSplit(db, split.merchant)),
    ...(idempotent && { idempotent: true }),
    ...(!splits.hasDeployer && split.deployedAt === undefined && { deploy: viewDeployCall(split) }),
  }
}

function refuseWithdrawal(): never {
  throw new ApiError(
    'deprecated',
    "The API does not make withdrawals. Call release on the split contract with the recipient's wallet",
    { reason: 'use_connected_wallet' },
  )
}

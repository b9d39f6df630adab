import { useQueries } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { useSession } from '../../session/session-context.ts'
import { isReturning } from '../unmatched/unmatched.ts'

export type Need = {
  readonly key: TextKey
  readonly count: number
  /** True if more than `count` exist. */
  readonly isMore: boolean
  readonly to: string
  readonly search?: Record<string, string>
  readonly isUrgent: boolean
}

const countedAtMost = 50

/** Returns the open decisions that the role may see. `isWhole` is true if every permitted query succeeded. */
export function useNeeds(): {
  readonly needs: readonly Need[]
  readonly isRead: boolean
  readonly isWhole: boolean
} {
  const { session } = useSession()
  const canWork = ['owner', 'admin', 'developer'].includes(session?.role ?? '')
  const results = useQueries({
    queries: [
      {
        queryKey: ['unmatched', 'count'],
        queryFn: () =>
          contentOf(
            api.GET('/api/payments/unmatched', {
              params: { query: { state: 'open', limit: countedAtMost } },
            }),
          ),
      },
      {
        queryKey: ['deliveries', 'exhausted'],
        queryFn: () =>
          contentOf(
            api.GET('/api/webhooks/deliveries', {
              params: { query: { state: 'exhausted', limit: countedAtMost } },
            }),
          ),
        enabled: canWork,
      },
      { queryKey: ['split', 'needs'], queryFn: () => contentOf(api.GET('/api/split/deploy')) },
      {
        queryKey: ['receipts', 'summary', 'all'],
        queryFn: () => contentOf(api.GET('/api/receipts/summary', { params: { query: {} } })),
      },
      {
        queryKey: ['receipts', 'questions'],
        queryFn: () =>
          contentOf(api.GET('/api/payments/questions', { params: { query: { limit: countedAtMost } } })),
      },
      {
        queryKey: ['split-transactions', 'waiting', 'count'],
        queryFn: () =>
          contentOf(
            api.GET('/api/deposits/waiting', { params: { query: { limit: String(countedAtMost) } } }),
          ),
      },
      { queryKey: ['keeper'], queryFn: () => contentOf(api.GET('/api/keeper')), staleTime: 60_000 },
    ],
  })
  const [unmatched, failed, split, summary, questions, deposits, keeper] = results
  const counts = (summary.data?.byDisplayStatus ?? {}) as Record<string, number>
  const questioned = questions.data?.receipts ?? []
  const undecided = (unmatched.data?.payments ?? []).filter((payment) => !isReturning(payment))
  const hasSplit = split.data === undefined || split.data.split.deployed
  const all: readonly Need[] = [
    { ...once('overview.needs.split', hasSplit ? 0 : 1), to: '/split', isUrgent: true },
    {
      key: 'overview.needs.questions',
      count: questioned.length,
      isMore: Boolean(questions.data?.nextCursor),
      // Opens the first receipt. A receipt leaves the list when it is settled.
      to: `/receipts/${encodeURIComponent(questioned[0]?.receiptId ?? '')}`,
      isUrgent: true,
    },
    { ...once('overview.needs.keeper', keeper.data?.gas === 'low' ? 1 : 0), to: '/split', isUrgent: true },
    {
      key: 'overview.needs.unmatched',
      count: undecided.length,
      isMore: Boolean(unmatched.data?.nextCursor),
      to: '/unmatched',
      isUrgent: true,
    },
    {
      key: 'overview.needs.claims',
      count: undecided.filter(({ claim }) => claim !== null).length,
      isMore: false,
      to: '/unmatched',
      isUrgent: true,
    },
    { ...once('overview.needs.refunds', counts.refund_requested ?? 0), to: '/refunds', isUrgent: true },
    {
      key: 'overview.needs.deliveries',
      count: failed.data?.deliveries.length ?? 0,
      isMore: Boolean(failed.data?.nextCursor),
      to: '/developers/deliveries',
      search: { state: 'exhausted' },
      isUrgent: false,
    },
    {
      key: 'overview.needs.deposits',
      count: deposits.data?.deposits.length ?? 0,
      isMore: Boolean(deposits.data?.nextCursor),
      to: '/split',
      isUrgent: false,
    },
    {
      ...once('overview.needs.underpaid', counts.underpaid ?? 0),
      to: '/receipts',
      search: { tab: 'underpaid' },
      isUrgent: true,
    },
    {
      ...once('overview.needs.overpaid', counts.overpaid ?? 0),
      to: '/receipts',
      search: { tab: 'overpaid' },
      isUrgent: false,
    },
    {
      ...once('overview.needs.failed', counts.failed ?? 0),
      to: '/receipts',
      search: { tab: 'failed' },
      isUrgent: false,
    },
  ]
  return {
    needs: all.filter(({ count }) => count > 0),
    isRead: [unmatched, split, summary].every(({ isPending }) => !isPending),
    isWhole: results.every(({ error }) => error === null || isForbidden(error)),
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'forbidden'
}

function once(key: TextKey, count: number): Pick<Need, 'key' | 'count' | 'isMore'> {
  return { key, count, isMore: false }
}

import { useQueries } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { useSession } from '../../session/session-context.ts'
import { findReversed } from './find-reversed.ts'

/** Something that waits for a decision. */
export type Need = {
  readonly key: TextKey
  readonly count: number
  /** There are more than were counted. */
  readonly isMore: boolean
  readonly to: string
  readonly search?: Record<string, string>
  readonly isUrgent: boolean
}

const countedAtMost = 50

/** What waits, as far as the role may see it; what could not be read says nothing. */
export function useNeeds(): { readonly needs: readonly Need[]; readonly isRead: boolean } {
  const { session } = useSession()
  const canWork = ['owner', 'admin', 'developer'].includes(session?.role ?? '')
  const [unmatched, failed, split, summary, reversed] = useQueries({
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
      { queryKey: ['receipts', 'summary', 'reversed'], queryFn: findReversed },
    ],
  })
  const byStatus = (summary.data?.byStatus ?? {}) as Record<string, number>
  const hasSplit = split.data === undefined || split.data.split.deployed
  const all: readonly Need[] = [
    { ...once('overview.needs.split', hasSplit ? 0 : 1), to: '/split', isUrgent: true },
    {
      ...once('overview.needs.reversed', reversed.data?.length ?? 0),
      to: `/receipts/${encodeURIComponent(reversed.data?.[0] ?? '')}`,
      isUrgent: true,
    },
    {
      key: 'overview.needs.unmatched',
      count: unmatched.data?.payments.length ?? 0,
      isMore: Boolean(unmatched.data?.nextCursor),
      to: '/unmatched',
      isUrgent: true,
    },
    { ...once('overview.needs.refunds', byStatus.refund_requested ?? 0), to: '/refunds', isUrgent: true },
    {
      key: 'overview.needs.deliveries',
      count: failed.data?.deliveries.length ?? 0,
      isMore: Boolean(failed.data?.nextCursor),
      to: '/developers/deliveries',
      search: { state: 'exhausted' },
      isUrgent: false,
    },
    {
      ...once('overview.needs.failed', byStatus.failed ?? 0),
      to: '/receipts',
      search: { tab: 'failed' },
      isUrgent: false,
    },
  ]
  return {
    needs: all.filter(({ count }) => count > 0),
    isRead: [unmatched, split, summary].every(({ isPending }) => !isPending),
  }
}

function once(key: TextKey, count: number): Pick<Need, 'key' | 'count' | 'isMore'> {
  return { key, count, isMore: false }
}

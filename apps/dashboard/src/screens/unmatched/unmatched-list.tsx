import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { type UnmatchedState, unmatchedStates } from './unmatched.ts'
import { UnmatchedCard } from './unmatched-card.tsx'

const pageSize = 30

export function UnmatchedList(): ReactNode {
  const { state } = useSearch({ from: '/unmatched' })
  const payments = useInfiniteQuery({
    queryKey: ['unmatched', { state }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/payments/unmatched', {
          params: { query: { state, limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = payments.data?.pages.flatMap((page) => page.payments) ?? []
  return (
    <>
      <PageHeader title={text('unmatched.title')} note={text('unmatched.note')} />
      <StateTabs state={state} />
      <QueryView
        query={payments}
        isEmpty={() => rows.length === 0}
        empty={
          <Notice title={text(state === 'open' ? 'unmatched.empty.open' : 'unmatched.empty.other')}>
            <p>{text('unmatched.empty.text')}</p>
          </Notice>
        }
      >
        {() => (
          <ul className="grid gap-4">
            {rows.map((payment) => (
              <li key={payment.id}>
                <UnmatchedCard payment={payment} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {payments.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={payments.isFetchingNextPage} onClick={() => void payments.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function StateTabs({ state }: { readonly state: UnmatchedState }): ReactNode {
  return (
    <nav aria-label={text('unmatched.tabs')} className="mb-5">
      <ul className="flex flex-wrap gap-2">
        {unmatchedStates.map((each) => (
          <li key={each}>
            <Link
              to="/unmatched"
              search={{ state: each }}
              aria-current={each === state ? 'page' : undefined}
              className="inline-flex min-h-10 items-center rounded-full border border-line px-4 font-medium text-dim hover:bg-soft aria-[current]:border-accent aria-[current]:bg-soft aria-[current]:text-ink"
            >
              {text(`unmatched.state.${each}` as TextKey)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

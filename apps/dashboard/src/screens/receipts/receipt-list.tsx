import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button, buttonClass } from '../../parts/button.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/session-context.ts'
import { useRole } from '../../session/use-role.ts'
import { ColumnChoice } from './column-choice.tsx'
import { ReceiptFilterBar } from './receipt-filter-bar.tsx'
import { countFilters, exportAddress, filtersOf, type ReceiptSearch, statusOf } from './receipt-search.ts'
import { ReceiptTable } from './receipt-table.tsx'
import { ReceiptTabs } from './receipt-tabs.tsx'
import { useColumns } from './use-columns.ts'

const pageSize = 50

export function ReceiptList(): ReactNode {
  const search = useSearch({ from: '/receipts' })
  const navigate = useNavigate({ from: '/receipts' })
  const { isManager } = useRole()
  const { session } = useSession()
  const [columns, setColumns] = useColumns()
  const receipts = useReceipts(search)
  const summary = useQuery({
    queryKey: ['receipts', 'summary', 'list', filtersOf(search)],
    queryFn: () => contentOf(api.GET('/api/receipts/summary', { params: { query: filtersOf(search) } })),
    placeholderData: keepPreviousData,
  })
  const rows = receipts.data?.pages.flatMap((page) => page.receipts) ?? []
  const showMore = () =>
    void navigate({
      search: (before) => ({ ...before, pages: (before.pages ?? 1) + 1 }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHeader title={text('receipts.title')}>
        {session?.role === 'cashier' ? null : (
          <a href={exportAddress(search)} download className={buttonClass('quiet')}>
            {text('receipts.csv')}
          </a>
        )}
        <ColumnChoice chosen={columns} onChange={setColumns} />
        {isManager ? (
          <LinkButton to="/payment-links/new" look="main">
            {text('receipts.new')}
          </LinkButton>
        ) : null}
      </PageHeader>
      <ReceiptTabs search={search} summary={summary.data} />
      <ReceiptFilterBar search={search} />
      <QueryView
        query={receipts}
        loading={<Skeleton rows={12} />}
        isEmpty={() => rows.length === 0}
        empty={<NoReceipts search={search} />}
        isDegraded={({ pages }) => pages.some((page) => page.degraded)}
      >
        {() => <ReceiptTable rows={rows} columns={columns} search={search} />}
      </QueryView>
      {receipts.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={receipts.isFetchingNextPage} onClick={showMore}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function useReceipts(search: ReceiptSearch) {
  const { sort, pages = 1 } = search
  const asked = { ...filtersOf(search), ...statusOf(search), ...(sort && { sort }) }
  const query = useInfiniteQuery({
    queryKey: ['receipts', 'list', asked],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/receipts', {
          params: { query: { ...asked, limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = query
  const isShort = !isPlaceholderData && hasNextPage && !isFetching && (data?.pages.length ?? 0) < pages
  useEffect(() => {
    if (isShort) void fetchNextPage()
  }, [isShort, fetchNextPage])
  return query
}

function NoReceipts({ search }: { readonly search: ReceiptSearch }): ReactNode {
  const isNarrowed = countFilters(search) > 0 || search.q !== undefined || search.tab !== undefined
  if (isNarrowed) {
    return (
      <Notice title={text('receipts.none.title')}>
        <p>{text('receipts.none.text')}</p>
        <LinkButton to="/receipts" search={{}}>
          {text('receipts.filter.clear')}
        </LinkButton>
      </Notice>
    )
  }
  return (
    <Notice title={text('receipts.empty.title')}>
      <p>{text('receipts.empty.text')}</p>
      <a className="py-1 text-accent underline underline-offset-4" href="/docs/">
        {text('receipts.empty.link')}
      </a>
    </Notice>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useRole } from '../../session/use-role.ts'

const pageSize = 50
const tabs = ['refund_requested', 'refunded'] as const

export function RefundQueue(): ReactNode {
  const { tab } = useSearch({ from: '/refunds' })
  const receipts = useInfiniteQuery({
    queryKey: ['receipts', 'to-refund', tab],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/receipts', {
          params: { query: { status: tab, limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = receipts.data?.pages.flatMap((page) => page.receipts) ?? []
  return (
    <>
      <PageHeader title={text('refunds.title')} note={text('refunds.note')} />
      <nav aria-label={text('refunds.tabs')} className="mb-5">
        <ul className="flex flex-wrap gap-2">
          {tabs.map((each) => (
            <li key={each}>
              <Link
                to="/refunds"
                search={{ tab: each }}
                aria-current={each === tab ? 'page' : undefined}
                className="inline-flex min-h-10 items-center rounded-full border border-line px-4 font-medium text-dim hover:bg-soft aria-[current]:border-accent aria-[current]:bg-soft aria-[current]:text-ink"
              >
                {text(each === 'refunded' ? 'refunds.tab.refunded' : 'refunds.tab.requested')}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <QueryView
        query={receipts}
        isEmpty={() => rows.length === 0}
        empty={
          <Notice title={text('refunds.empty.title')}>
            <p>{text('refunds.empty.text')}</p>
          </Notice>
        }
        isDegraded={({ pages }) => pages.some((page) => page.degraded)}
      >
        {() => <Rows rows={rows} />}
      </QueryView>
      {receipts.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={receipts.isFetchingNextPage} onClick={() => void receipts.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function Rows({ rows }: { readonly rows: readonly components['schemas']['Receipt'][] }): ReactNode {
  const { isManager } = useRole()
  const head = (
    <>
      <HeadCell>{text('refunds.column.receipt')}</HeadCell>
      <HeadCell className="text-end">{text('refunds.column.amount')}</HeadCell>
      <HeadCell>{text('refunds.column.created')}</HeadCell>
      <HeadCell>
        <span className="sr-only">{text('refunds.column.action')}</span>
      </HeadCell>
    </>
  )
  return (
    <Table label={text('refunds.title')} head={head}>
      {rows.map(({ receiptId, total, totalUsd, currency, createdAt, status }) => (
        <tr key={receiptId}>
          <RowHead>
            <RowLink to="/receipts/$receiptId" params={{ receiptId }}>
              {receiptId}
            </RowLink>
          </RowHead>
          <Cell isAmount>{total === undefined ? money(totalUsd) : money(total, currency)}</Cell>
          <Cell className="whitespace-nowrap text-dim">
            <When at={createdAt} />
          </Cell>
          <Cell className="text-end">
            {isManager && status === 'refund_requested' ? (
              <Link
                to="/refunds/new"
                search={{ receiptId }}
                className="inline-flex min-h-10 items-center rounded-xl border border-line px-4 font-semibold hover:bg-soft"
              >
                {text('refunds.refund')}
              </Link>
            ) : null}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'

type Receipt = components['schemas']['Receipt']

const pageSize = 50

/** Every receipt of the merchant, newest first. */
export function ReceiptList(): ReactNode {
  const receipts = useInfiniteQuery({
    queryKey: ['receipts'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/receipts', { params: { query: { limit: pageSize, ...(cursor && { cursor }) } } }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = receipts.data?.pages.flatMap((page) => page.receipts) ?? []
  return (
    <>
      <PageHeader title={text('receipts.title')} />
      <QueryView
        query={receipts}
        isEmpty={() => rows.length === 0}
        empty={<NoReceipts />}
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

function Rows({ rows }: { readonly rows: readonly Receipt[] }): ReactNode {
  const head = (
    <>
      <HeadCell>{text('receipts.column.receipt')}</HeadCell>
      <HeadCell>{text('receipts.column.status')}</HeadCell>
      <HeadCell className="text-end">{text('receipts.column.amount')}</HeadCell>
      <HeadCell>{text('receipts.column.created')}</HeadCell>
    </>
  )
  return (
    <Table label={text('receipts.table')} head={head}>
      {rows.map((receipt) => (
        <tr key={receipt.receiptId}>
          <RowHead>
            <Link
              to="/receipts/$receiptId"
              params={{ receiptId: receipt.receiptId }}
              className="inline-block py-1 text-accent underline underline-offset-4 [overflow-wrap:anywhere]"
            >
              <bdi>{receipt.receiptId}</bdi>
            </Link>
          </RowHead>
          <Cell>
            <StatusBadge status={receipt.status} />
          </Cell>
          <Cell isAmount>{amountOf(receipt)}</Cell>
          <Cell className="whitespace-nowrap text-dim">
            <When at={receipt.createdAt} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function amountOf({ total, currency, totalUsd }: Receipt): string {
  return total === undefined ? money(totalUsd) : money(total, currency)
}

function NoReceipts(): ReactNode {
  return (
    <Notice title={text('receipts.empty.title')}>
      <p>{text('receipts.empty.text')}</p>
      <a className="text-accent underline underline-offset-4" href="/docs/">
        {text('receipts.empty.link')}
      </a>
    </Notice>
  )
}

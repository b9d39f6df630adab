import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { dateTime, exactTime } from '../../format/time.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorNotice, Notice } from '../../parts/notice.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'

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
  const isDegraded = receipts.data?.pages.some((page) => page.degraded) ?? false
  return (
    <>
      <h1 className="mb-6 text-2xl font-bold tracking-tight">{text('receipts.title')}</h1>
      {isDegraded ? (
        <p className="mb-4 rounded-xl bg-wait-soft p-4 text-wait">{text('app.degraded')}</p>
      ) : null}
      {receipts.isError ? (
        <ErrorNotice error={receipts.error} retry={() => void receipts.refetch()} />
      ) : receipts.isPending ? (
        <Skeleton />
      ) : rows.length === 0 ? (
        <NoReceipts />
      ) : (
        <Table rows={rows} />
      )}
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

const cell = 'border-line border-t px-4 py-3'

function Table({ rows }: { readonly rows: readonly Receipt[] }): ReactNode {
  return (
    <section
      aria-label={text('receipts.table')}
      className="overflow-x-auto rounded-2xl border border-line bg-card"
    >
      <table className="w-full border-collapse">
        <thead>
          <tr className="text-dim text-sm">
            <th className="px-4 py-3 text-start font-medium">{text('receipts.column.receipt')}</th>
            <th className="px-4 py-3 text-start font-medium">{text('receipts.column.status')}</th>
            <th className="px-4 py-3 text-end font-medium">{text('receipts.column.amount')}</th>
            <th className="px-4 py-3 text-start font-medium">{text('receipts.column.created')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((receipt) => (
            <tr key={receipt.receiptId}>
              <th scope="row" className={`${cell} text-start font-medium`}>
                <Link
                  to="/receipts/$receiptId"
                  params={{ receiptId: receipt.receiptId }}
                  className="inline-block py-1 text-accent underline underline-offset-4 [overflow-wrap:anywhere]"
                >
                  <bdi>{receipt.receiptId}</bdi>
                </Link>
              </th>
              <td className={cell}>
                <StatusBadge status={receipt.status} />
              </td>
              <td className={`${cell} text-end tabular-nums`}>{amountOf(receipt)}</td>
              <td className={`${cell} whitespace-nowrap text-dim`}>
                <time
                  dateTime={new Date(receipt.createdAt).toISOString()}
                  title={exactTime(receipt.createdAt)}
                >
                  {dateTime(receipt.createdAt)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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

/** Keeps the place of the rows, so that nothing jumps when they come. */
function Skeleton(): ReactNode {
  return (
    <div aria-hidden="true" className="rounded-2xl border border-line bg-card">
      {Array.from({ length: 10 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of nothing have no other
        <div key={i} className="border-line px-4 py-4 not-first:border-t">
          <div className="h-5 w-2/3 animate-pulse rounded bg-soft" />
        </div>
      ))}
    </div>
  )
}

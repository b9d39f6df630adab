import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { Address } from '../../parts/address.tsx'
import { Button, buttonClass } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useWebApp } from '../../service/use-web-app.ts'

type Transaction = operations['getSplitTransactions']['responses'][200]['content']['application/json'][number]

const pageSize = 25
const lookEveryMs = 10_000
const looks = {
  pending: ['◔', 'bg-wait-soft text-wait'],
  distributed: ['✓', 'bg-good-soft text-good'],
  held: ['!', 'bg-bad-soft text-bad'],
} as const

export function Transactions(): ReactNode {
  const transactions = useInfiniteQuery({
    queryKey: ['split-transactions'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor }) => {
      const query = { limit: pageSize, ...(cursor && { cursor }) }
      const { data = [], response } = await api.GET('/api/split/transactions', { params: { query } })
      return { rows: data, nextCursor: response.headers.get('x-next-cursor') ?? undefined }
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: lookEveryMs,
  })
  const rows = transactions.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <Section
      title={text('split.transactions')}
      note={text('split.transactions.note')}
      action={
        rows.length > 0 ? (
          <a href="/api/split/transactions/export" download className={buttonClass('quiet')}>
            {text('split.transactions.csv')}
          </a>
        ) : null
      }
    >
      <QueryView
        query={transactions}
        isEmpty={() => rows.length === 0}
        empty={<Notice title={text('split.transactions.none')} />}
        loading={<Skeleton rows={4} />}
      >
        {() => (
          <Table label={text('split.transactions')} head={<Head />}>
            {rows.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </Table>
        )}
      </QueryView>
      {transactions.hasNextPage ? (
        <p>
          <Button
            disabled={transactions.isFetchingNextPage}
            onClick={() => void transactions.fetchNextPage()}
          >
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </Section>
  )
}

function Head(): ReactNode {
  return (
    <>
      <HeadCell>{text('split.column.receipt')}</HeadCell>
      <HeadCell>{text('split.column.state')}</HeadCell>
      <HeadCell className="text-end">{text('split.column.amount')}</HeadCell>
      <HeadCell className="text-end">{text('split.column.fee')}</HeadCell>
      <HeadCell>{text('split.column.time')}</HeadCell>
      <HeadCell>{text('split.column.transaction')}</HeadCell>
    </>
  )
}

function Row({ row }: { readonly row: Transaction }): ReactNode {
  const token = useWebApp()?.chain.tokens.find(({ symbol }) => symbol === row.currency)
  const [sign, look] = looks[row.status]
  return (
    <tr>
      <RowHead>
        <RowLink to="/receipts/$receiptId" params={{ receiptId: row.receiptId }}>
          {row.receiptId}
        </RowLink>
      </RowHead>
      <Cell>
        <span
          className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2.5 py-0.5 font-medium text-sm ${look}`}
        >
          <span aria-hidden="true">{sign}</span>
          {text(`split.transaction.${row.status}`)}
        </span>
      </Cell>
      <Cell isAmount>
        {token
          ? tokenAmount(BigInt(row.amountRaw), token.decimals, row.currency)
          : `${row.amount} ${row.currency}`}
      </Cell>
      <Cell isAmount>{`${row.fees} ${row.currency}`}</Cell>
      <Cell className="whitespace-nowrap text-dim">
        <When at={Date.parse(row.timestamp)} />
      </Cell>
      <Cell className="min-w-80">
        <Address value={row.transactionHash} kind="tx" />
      </Cell>
    </tr>
  )
}

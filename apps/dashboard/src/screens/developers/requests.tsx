import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { shortWallet } from '../../shell/account.tsx'
import { DevelopersHead } from './developers.tsx'
import { useSubscriptions } from './use-keys.ts'

type Answered = operations['getRequests']['responses'][200]['content']['application/json']['requests'][number]

const pageSize = 50

export function Requests(): ReactNode {
  const filter = useSearch({ from: '/developers/requests' })
  const requests = useInfiniteQuery({
    queryKey: ['requests', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/requests', {
          params: { query: { limit: pageSize, ...filter, ...(cursor && { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = requests.data?.pages.flatMap((page) => page.requests) ?? []
  return (
    <>
      <DevelopersHead>
        <Button onClick={() => void requests.refetch()}>{text('developers.refresh')}</Button>
      </DevelopersHead>
      <KeyFilter />
      <QueryView
        query={requests}
        isEmpty={() => rows.length === 0}
        empty={<Notice title={text('developers.requests.none')} />}
      >
        {() => <Rows rows={rows} />}
      </QueryView>
      {requests.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={requests.isFetchingNextPage} onClick={() => void requests.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function KeyFilter(): ReactNode {
  const { key } = useSearch({ from: '/developers/requests' })
  const navigate = useNavigate({ from: '/developers/requests' })
  const { data = [] } = useSubscriptions()
  if (data.length === 0) return null
  return (
    <search className="mb-5 block max-w-xs">
      <SelectField
        label={text('developers.filter.key')}
        value={key ?? ''}
        onChange={(event) => void navigate({ search: { key: event.target.value }, replace: true })}
      >
        <option value="">{text('developers.filter.all')}</option>
        {data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </search>
  )
}

function Rows({ rows }: { readonly rows: readonly Answered[] }): ReactNode {
  return (
    <Table
      label={text('developers.requests')}
      head={
        <>
          <HeadCell>{text('developers.column.request')}</HeadCell>
          <HeadCell>{text('developers.column.answer')}</HeadCell>
          <HeadCell>{text('developers.column.by')}</HeadCell>
          <HeadCell>{text('developers.column.time')}</HeadCell>
          <HeadCell>{text('developers.correlation')}</HeadCell>
        </>
      }
    >
      {rows.map((row) => (
        <tr key={row.correlationId}>
          <RowHead>
            <code className="text-sm">
              <span className="font-bold">{row.method}</span> {row.route}
            </code>
          </RowHead>
          <Cell>
            <Badge tone={row.status < 400 ? 'good' : 'bad'} sign={row.status < 400 ? '✓' : '✕'}>
              {row.status}
            </Badge>
          </Cell>
          <Cell className="whitespace-nowrap text-sm">
            {row.wallet ? <code title={row.wallet}>{shortWallet(row.wallet)}</code> : row.subscriptionId}
            <span className="block text-dim">{row.address}</span>
          </Cell>
          <Cell className="whitespace-nowrap text-dim">
            <When at={row.at} />
          </Cell>
          <Cell className="whitespace-nowrap">
            <code className="me-3 text-sm">{row.correlationId}</code>
            <CopyButton value={row.correlationId} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { AttemptIcon, type Delivery, DeliveryIcon } from './delivery-sign.tsx'
import { DevelopersHead } from './developers.tsx'
import { deliveryStates, readDeliverySearch } from './search.ts'

const pageSize = 50
const lookEveryMs = 5_000

export function Deliveries(): ReactNode {
  const filter = useSearch({ from: '/developers/deliveries' })
  const deliveries = useInfiniteQuery({
    queryKey: ['deliveries', 'list', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(
        api.GET('/api/webhooks/deliveries', {
          params: { query: { limit: pageSize, ...filter, ...(cursor && { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: lookEveryMs,
  })
  const rows = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <>
      <DevelopersHead />
      <Filters />
      <QueryView
        query={deliveries}
        isEmpty={() => rows.length === 0}
        empty={
          <Notice title={text('developers.deliveries.none')}>
            {text('developers.deliveries.none.text')}
          </Notice>
        }
      >
        {() => <Rows rows={rows} />}
      </QueryView>
      {deliveries.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function Filters(): ReactNode {
  const filter = useSearch({ from: '/developers/deliveries' })
  const navigate = useNavigate({ from: '/developers/deliveries' })
  const change = (part: { state?: string; receiptId?: string }) =>
    void navigate({ search: (before) => readDeliverySearch({ ...before, ...part }), replace: true })
  return (
    <search className="mb-5 grid gap-4 sm:grid-cols-[12rem_minmax(0,24rem)]">
      <SelectField
        label={text('developers.filter.state')}
        value={filter.state ?? ''}
        onChange={(event) => change({ state: event.target.value })}
      >
        <option value="">{text('developers.filter.all')}</option>
        {deliveryStates.map((state) => (
          <option key={state} value={state}>
            {text(`developers.state.${state}`)}
          </option>
        ))}
      </SelectField>
      <TextField
        type="search"
        label={text('developers.filter.receipt')}
        defaultValue={filter.receiptId ?? ''}
        onChange={(event) => change({ receiptId: event.target.value.trim() })}
      />
    </search>
  )
}

function Rows({ rows }: { readonly rows: readonly Delivery[] }): ReactNode {
  return (
    <Table
      label={text('developers.deliveries')}
      head={
        <>
          <HeadCell>{text('developers.column.receipt')}</HeadCell>
          <HeadCell>{text('developers.column.state')}</HeadCell>
          <HeadCell>{text('developers.column.answer')}</HeadCell>
          <HeadCell className="text-end">{text('developers.column.attempts')}</HeadCell>
          <HeadCell>{text('developers.column.url')}</HeadCell>
          <HeadCell>{text('developers.column.time')}</HeadCell>
        </>
      }
    >
      {rows.map((delivery) => (
        <tr key={delivery.id}>
          <RowHead>
            <RowLink to="/developers/deliveries/$deliveryId" params={{ deliveryId: delivery.id }}>
              {delivery.receiptId}
            </RowLink>
          </RowHead>
          <Cell>
            <DeliveryIcon state={delivery.state} />
          </Cell>
          <Cell>
            <AttemptIcon attempt={delivery.attempts.at(-1)} />
          </Cell>
          <Cell isAmount>{delivery.attemptCount}</Cell>
          <Cell className="max-w-80 text-sm [overflow-wrap:anywhere]">{delivery.url}</Cell>
          <Cell className="whitespace-nowrap text-dim">
            <When at={delivery.createdAt} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

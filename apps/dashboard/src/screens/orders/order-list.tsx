import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useRole } from '../../session/use-role.ts'

type Order = components['schemas']['Order']

const pageSize = 50

export function OrderList(): ReactNode {
  const { cursor } = useSearch({ from: '/orders' })
  const { isManager } = useRole()
  const orders = useQuery({
    queryKey: ['orders', 'list', cursor],
    placeholderData: keepPreviousData,
    queryFn: () =>
      contentOf(
        api.GET('/api/orders', { params: { query: { limit: pageSize, ...(cursor && { cursor }) } } }),
      ),
  })
  const create = isManager ? (
    <LinkButton to="/orders/new" look="main">
      {text('orders.new')}
    </LinkButton>
  ) : null
  return (
    <>
      <PageHeader title={text('orders.title')} note={text('orders.note')}>
        {create}
      </PageHeader>
      <QueryView
        query={orders}
        isEmpty={(page) => page.orders.length === 0}
        empty={
          <Notice title={text('orders.empty.title')}>
            <p>{text('orders.empty.text')}</p>
            {create}
          </Notice>
        }
      >
        {(page) => (
          <>
            <Rows orders={page.orders} />
            <nav aria-label={text('orders.pages')} className="mt-4 flex flex-wrap gap-3">
              {cursor ? <LinkButton to="/orders">{text('orders.first-page')}</LinkButton> : null}
              {page.nextCursor ? (
                <LinkButton to="/orders" search={{ cursor: page.nextCursor }}>
                  {text('orders.next-page')}
                </LinkButton>
              ) : null}
            </nav>
          </>
        )}
      </QueryView>
    </>
  )
}

function Rows({ orders }: { readonly orders: readonly Order[] }): ReactNode {
  const head = (
    <>
      <HeadCell>{text('orders.column.order')}</HeadCell>
      <HeadCell>{text('orders.column.status')}</HeadCell>
      <HeadCell className="max-sm:hidden">{text('orders.column.items')}</HeadCell>
      <HeadCell className="text-end max-sm:hidden">{text('orders.column.total')}</HeadCell>
      <HeadCell>{text('orders.column.created')}</HeadCell>
    </>
  )
  return (
    <Table label={text('orders.table')} head={head}>
      {orders.map((order) => (
        <tr key={order.id}>
          <RowHead className="min-w-36 sm:min-w-44">
            <RowLink to="/orders/$orderId" params={{ orderId: order.id }}>
              {order.transactionId ?? order.id}
            </RowLink>
            <span className="block font-normal text-dim text-sm sm:hidden">{itemsOf(order)}</span>
            <span className="block tabular-nums sm:hidden">{money(order.totalUsd)}</span>
          </RowHead>
          <Cell>
            <StatusBadge status={order.displayStatus} />
          </Cell>
          <Cell className="min-w-48 max-w-96 text-dim max-sm:hidden [overflow-wrap:anywhere]">
            {itemsOf(order)}
          </Cell>
          <Cell isAmount className="max-sm:hidden">
            {money(order.totalUsd)}
          </Cell>
          <Cell className="whitespace-nowrap text-dim">
            <When at={order.createdAt} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function itemsOf({ items }: Order): string {
  const [first] = items
  if (!first) return ''
  return text('orders.items', { qty: first.qty, name: first.name, others: items.length - 1 })
}

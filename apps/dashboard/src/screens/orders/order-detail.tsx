import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PaymentQr } from '../../parts/payment-qr.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'

type Order = components['schemas']['OrderDetail']

const everyMs = 3_000

export function OrderDetail(): ReactNode {
  const { orderId } = useParams({ from: '/orders/$orderId' })
  const order = useQuery({
    queryKey: ['orders', 'one', orderId],
    // Polls while the order is open or its stock is held.
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? everyMs : false),
    queryFn: () => contentOf(api.GET('/api/orders/{id}', { params: { path: { id: orderId } } })),
  })
  return (
    <>
      <BackLink to="/orders">{text('orders.back')}</BackLink>
      <QueryView query={order}>{(found) => <Content order={found} />}</QueryView>
    </>
  )
}

function isMoving({ status, stock }: Order): boolean {
  return status === 'pending' || status === 'generated' || stock === 'reserved'
}

function Content({ order }: { readonly order: Order }): ReactNode {
  const isOpen = order.status === 'pending' || order.status === 'generated'
  return (
    <>
      <PageHeader
        title={order.transactionId ?? order.id}
        note={
          <span className="flex flex-wrap items-center gap-3">
            <StatusBadge status={order.displayStatus} />
            <When at={order.createdAt} />
          </span>
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_22rem]">
        <Lines order={order} />
        <div className="grid gap-5">
          {isOpen ? <ToPay order={order} /> : null}
          <Facts order={order} />
        </div>
      </div>
    </>
  )
}

function Lines({ order }: { readonly order: Order }): ReactNode {
  const head = (
    <>
      <HeadCell>{text('orders.line.product')}</HeadCell>
      <HeadCell className="text-end">{text('orders.line.qty')}</HeadCell>
      <HeadCell className="text-end">{text('orders.line.price')}</HeadCell>
      <HeadCell className="text-end">{text('orders.line.total')}</HeadCell>
    </>
  )
  const missing = new Map(order.stockMissing.map(({ productId, qty }) => [productId, qty]))
  return (
    <Section title={text('orders.lines')}>
      <Table label={text('orders.lines')} head={head}>
        {order.items.map(({ productId, sku, name, qty, unitPriceUsd, totalUsd, taxable }) => (
          <tr key={productId}>
            <RowHead className="min-w-44">
              <RowLink to="/products/$productId" params={{ productId }}>
                {name}
              </RowLink>
              <span className="block font-normal text-dim text-sm">
                <bdi className="font-mono">{sku}</bdi>
                {taxable ? ` · ${text('orders.line.taxable')}` : ''}
              </span>
              {missing.has(productId) ? (
                <span className="block font-normal text-bad text-sm">
                  {text('orders.line.missing', { qty: missing.get(productId) ?? 0 })}
                </span>
              ) : null}
            </RowHead>
            <Cell isAmount>{qty}</Cell>
            <Cell isAmount>{money(unitPriceUsd)}</Cell>
            <Cell isAmount>{money(totalUsd)}</Cell>
          </tr>
        ))}
      </Table>
      <dl className="ms-auto w-full max-w-xs">
        <Fact term={text('orders.subtotal')}>{money(order.subtotalUsd)}</Fact>
        <Fact term={text('orders.tax', { place: order.jurisdictionCode, percent: percent(order.taxRate) })}>
          {money(order.taxUsd)}
        </Fact>
        <Fact term={<strong>{text('orders.total')}</strong>}>
          <strong>{money(order.totalUsd)}</strong>
        </Fact>
      </dl>
    </Section>
  )
}

function ToPay({ order }: { readonly order: Order }): ReactNode {
  return (
    <Card title={text('orders.to-pay')} note={text('orders.to-pay.note')}>
      <div className="grid justify-items-start gap-3">
        <PaymentQr paymentUrl={order.paymentUrl} />
        <p className="text-sm [overflow-wrap:anywhere]">{order.paymentUrl}</p>
        <CopyButton value={order.paymentUrl} label={text('orders.copy-link')} />
      </div>
    </Card>
  )
}

function Facts({ order }: { readonly order: Order }): ReactNode {
  return (
    <Card title={text('orders.facts')}>
      <dl>
        <Fact term={text('orders.receipt')}>
          <Link
            to="/receipts/$receiptId"
            params={{ receiptId: order.receiptId }}
            className="text-accent underline underline-offset-4"
          >
            <bdi>{order.receiptId}</bdi>
          </Link>
        </Fact>
        <Fact term={text('orders.place')}>{order.jurisdictionCode}</Fact>
        <Fact term={text('orders.tax-from')}>{text(`orders.tax-from.${order.taxFrom}` as TextKey)}</Fact>
        <Fact term={text('orders.stock')}>{text(`orders.stock.${order.stock ?? 'none'}` as TextKey)}</Fact>
        {order.expiresAt === null ? null : (
          <Fact term={text('orders.expires')}>
            <When at={order.expiresAt} />
          </Fact>
        )}
        {Object.entries(order.metadata ?? {}).map(([key, value]) => (
          <Fact key={key} term={<bdi>{key}</bdi>}>
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
          </Fact>
        ))}
      </dl>
    </Card>
  )
}

function percent(rate: number): string {
  return new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 4 }).format(rate)
}

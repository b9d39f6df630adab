import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Card, Fact } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { When } from '../../parts/when.tsx'

type Receipt = components['schemas']['ReceiptDetail']

/** One receipt: what is sold, what was paid, and what happened to it. */
export function ReceiptDetail(): ReactNode {
  const { receiptId } = useParams({ from: '/receipts/$receiptId' })
  const receipt = useQuery({
    queryKey: ['receipts', receiptId],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}', { params: { path: { id: receiptId } } })),
  })
  return (
    <>
      <Link to="/receipts" className="mb-4 inline-block py-1 text-accent underline underline-offset-4">
        {text('receipt.back')}
      </Link>
      <QueryView query={receipt}>{(found) => <Content receipt={found} />}</QueryView>
    </>
  )
}

function Content({ receipt }: { readonly receipt: Receipt }): ReactNode {
  return (
    <div className="grid gap-5">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-2xl font-bold tracking-tight [overflow-wrap:anywhere]">
          <bdi>{receipt.receiptId}</bdi>
        </h1>
        <StatusBadge status={receipt.status} />
        <When at={receipt.createdAt} className="text-dim" />
      </header>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Items receipt={receipt} />
        <Payment receipt={receipt} />
      </div>
    </div>
  )
}

function Items({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { lineItems, currency, total, totalUsd, customerTotalUsd } = receipt
  return (
    <Card title={text('receipt.items')}>
      <ul>
        {lineItems.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and their order is theirs
          <li key={i} className="flex justify-between gap-6 border-line py-2.5 not-first:border-t">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <bdi>{line.label}</bdi>{' '}
              {line.qty !== undefined && line.qty !== 1 ? (
                <span className="text-dim">{text('receipt.quantity', { count: line.qty })}</span>
              ) : null}
            </span>
            <span className="tabular-nums">
              {line.amount === undefined ? money(line.priceUsd) : money(line.amount, currency)}
            </span>
          </li>
        ))}
      </ul>
      <dl className="border-ink border-t-2">
        <Fact term={text('receipt.total')}>
          {total === undefined ? money(totalUsd) : money(total, currency)}
        </Fact>
        {customerTotalUsd === undefined || customerTotalUsd === totalUsd ? null : (
          <Fact term={text('receipt.customer-total')}>{money(customerTotalUsd)}</Fact>
        )}
      </dl>
    </Card>
  )
}

function Payment({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { payment, transactionHash } = receipt
  const amount = (value: number) => `${value} ${payment?.token ?? ''}`
  if (!payment || payment.received === 0) {
    return (
      <Card title={text('receipt.payment')}>
        <p className="text-dim">{text('receipt.payment.none')}</p>
      </Card>
    )
  }
  return (
    <Card title={text('receipt.payment')}>
      <dl>
        <Fact term={text('receipt.payment.received')}>{amount(payment.received)}</Fact>
        {payment.missing > 0 ? (
          <Fact term={text('receipt.payment.missing')}>{amount(payment.missing)}</Fact>
        ) : null}
        {payment.excess > 0 ? (
          <Fact term={text('receipt.payment.excess')}>{amount(payment.excess)}</Fact>
        ) : null}
        <Fact term={text('receipt.payment.confirmations')}>{payment.confirmations}</Fact>
      </dl>
      {transactionHash ? (
        <div className="flex flex-wrap items-center gap-3 pt-2">
          <span className="text-dim">{text('receipt.payment.transaction')}</span>
          <code className="min-w-0 text-sm [overflow-wrap:anywhere]">{transactionHash}</code>
          <CopyButton value={transactionHash} />
        </div>
      ) : null}
    </Card>
  )
}

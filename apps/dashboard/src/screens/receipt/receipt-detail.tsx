import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { When } from '../../parts/when.tsx'
import { useSession } from '../../session/session-context.ts'
import { Deliveries } from './deliveries.tsx'
import { FailureBox } from './failure-box.tsx'
import { Items } from './items.tsx'
import { MoneyTracker } from './money-tracker.tsx'
import { MoreFacts } from './more-facts.tsx'
import type { Receipt } from './receipt.ts'
import { ReceiptActions } from './receipt-actions.tsx'
import { RefundList } from './refund-list.tsx'
import { Timeline } from './timeline.tsx'

export function ReceiptDetail(): ReactNode {
  const { receiptId } = useParams({ from: '/receipts/$receiptId' })
  const receipt = useQuery({
    queryKey: ['receipts', 'one', receiptId],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}', { params: { path: { id: receiptId } } })),
  })
  useEffect(() => {
    document.title = `${receiptId} · ${text('app.name')}`
  }, [receiptId])
  return (
    <>
      <BackLink to="/receipts">{text('receipt.back')}</BackLink>
      <QueryView query={receipt}>{(found) => <Content receipt={found} />}</QueryView>
    </>
  )
}

function Content({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { session } = useSession()
  // Cashiers may not read the deliveries.
  const isCashier = session?.role === 'cashier'
  const { receiptId, createdAt, displayStatus, cancelledAt, total, totalUsd, currency } = receipt
  return (
    <div className="grid grid-cols-1 gap-5">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="grid min-w-0 gap-2">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <p className="font-bold text-3xl tracking-tight tabular-nums">
              {total === undefined ? money(totalUsd) : money(total, currency)}
            </p>
            <StatusBadge status={displayStatus} />
            {cancelledAt === null || displayStatus === 'cancelled' ? null : (
              <span className="rounded-full bg-soft px-2.5 py-0.5 font-medium text-dim text-sm">
                <span aria-hidden="true">⊘</span> {text('receipt.cancelled')}
              </span>
            )}
          </div>
          <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <h1 className="font-medium text-dim [overflow-wrap:anywhere]">
              <bdi>{receiptId}</bdi>
            </h1>
            <When at={createdAt} className="text-dim text-sm" />
          </div>
        </div>
        <ReceiptActions receipt={receipt} />
      </header>
      <FailureBox receipt={receipt} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 grid-cols-1 gap-5">
          <MoneyTracker receipt={receipt} />
          <Items receipt={receipt} />
          <RefundList receipt={receipt} />
          {isCashier ? null : <Deliveries receiptId={receiptId} />}
          <MoreFacts receipt={receipt} />
        </div>
        <Timeline receipt={receipt} />
      </div>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useRole } from '../../session/use-role.ts'
import type { RefundRequest } from './kept-refund.ts'
import { readKeptRefund } from './kept-refund.ts'
import { RecordKept } from './record-kept.tsx'
import { RefundDone } from './refund-done.tsx'
import { RefundForm } from './refund-form.tsx'
import { leftOf, refundable } from './refundable.ts'

type Receipt = components['schemas']['ReceiptDetail']

export function NewRefund(): ReactNode {
  const { receiptId } = useSearch({ from: '/refunds/new' })
  const { isManager, wallet } = useRole()
  const receipt = useQuery({
    queryKey: ['receipts', 'one', receiptId],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}', { params: { path: { id: receiptId } } })),
    enabled: isManager && receiptId !== '',
  })
  const payer = useQuery({
    queryKey: ['checkout', receiptId],
    queryFn: () => findPayer(receiptId, wallet),
    enabled: isManager && receiptId !== '',
  })
  if (!isManager) {
    return (
      <Notice title={text('app.error.forbidden.title')}>
        <p>{text('refunds.forbidden')}</p>
      </Notice>
    )
  }
  return (
    <>
      <BackLink to="/refunds">{text('refunds.back')}</BackLink>
      <PageHeader title={text('refunds.new')} note={<bdi>{receiptId}</bdi>} />
      <QueryView query={receipt}>
        {(found) =>
          payer.isPending ? null : <Steps key={found.receiptId} receipt={found} payer={payer.data ?? ''} />
        }
      </QueryView>
    </>
  )
}

function Steps({ receipt, payer }: { readonly receipt: Receipt; readonly payer: string }): ReactNode {
  const { wallet } = useRole()
  const [done, setDone] = useState<RefundRequest>()
  const kept = readKeptRefund(receipt, wallet)
  if (done) return <RefundDone request={done} />
  if (kept) return <RecordKept request={kept} onDone={setDone} />
  if (leftOf(receipt, 'price') === 0n && leftOf(receipt, 'excess') === 0n) {
    const isUnpaid = refundable(receipt, 'price') === 0n
    return (
      <Notice title={text('refunds.nothing.title')}>
        <p>{text(isUnpaid ? 'refunds.unpaid.text' : 'refunds.nothing.text')}</p>
        <Link
          to="/receipts/$receiptId"
          params={{ receiptId: receipt.receiptId }}
          className="py-1 text-accent underline underline-offset-4"
        >
          {text('refunds.open-receipt')}
        </Link>
      </Notice>
    )
  }
  return <RefundForm receipt={receipt} payer={payer} onDone={setDone} />
}

/** Returns the payer's address, or an empty string if it is unknown. */
async function findPayer(id: string, recipient: string): Promise<string> {
  try {
    const { payment } = await contentOf(
      api.GET('/api/checkout/{id}', { params: { path: { id }, query: { recipient } } }),
    )
    return payment.payer ?? ''
  } catch (error) {
    if (error instanceof ApiError) return ''
    throw error
  }
}

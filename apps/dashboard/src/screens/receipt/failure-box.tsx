import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import type { Receipt } from './receipt.ts'

export function FailureBox({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { receiptId, status, displayStatus, payment } = receipt
  const { data } = useQuery({
    queryKey: ['receipts', 'one', receiptId, 'failure'],
    queryFn: () => contentOf(api.GET('/api/receipts/status', { params: { query: { receiptId } } })),
    enabled: status === 'failed',
  })
  const question = questionOf(payment)
  if (question) {
    return (
      <section role="alert" className="grid gap-1 rounded-2xl bg-bad-soft p-5 text-bad">
        <h2 className="font-semibold">{text(`receipt.${question}.title`)}</h2>
        <p>{text(`receipt.${question}.text`)}</p>
      </section>
    )
  }
  if (status !== 'failed' || !data) return null
  const { failureReason, failureAction, failureCode, providerErrorCode, providerRequestId } = data
  return (
    <section
      aria-labelledby="failure"
      className={`grid gap-2 rounded-2xl p-5 ${displayStatus === 'stopped' ? 'bg-soft' : 'bg-bad-soft text-bad'}`}
    >
      <h2 id="failure" className="font-semibold">
        {text(displayStatus === 'stopped' ? 'status.stopped' : 'receipt.failure.title')}
      </h2>
      <p>{failureReason ?? text('receipt.failure.unknown')}</p>
      {failureAction ? (
        <p>
          <strong>{text('receipt.failure.action')}</strong> {failureAction}
        </p>
      ) : null}
      <p className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {failureCode ? <code>{failureCode}</code> : null}
        {providerErrorCode ? (
          <span>
            {text('receipt.failure.code')} <code>{providerErrorCode}</code>
          </span>
        ) : null}
        {providerRequestId ? (
          <span className="flex flex-wrap items-center gap-2">
            <span>
              {text('receipt.failure.reference')} <code>{providerRequestId}</code>
            </span>
            <CopyButton value={providerRequestId} />
          </span>
        ) : null}
      </p>
    </section>
  )
}

function questionOf({
  state,
  delivery,
}: Receipt['payment']): 'reversed' | 'overdue' | 'provider-reversed' | undefined {
  if (state === 'orphaned') return 'reversed'
  return delivery === 'reversed' ? 'provider-reversed' : (delivery ?? undefined)
}

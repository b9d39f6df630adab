import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { onceWritten } from '../../api/once-written.ts'
import { useWrite } from '../../api/use-write.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { HashLink } from '../../parts/hash-link.tsx'
import { dropKeptRefund, type RefundRequest } from './kept-refund.ts'

/** Shows a refund that was paid but not recorded. It must be recorded before another refund is sent. */
export function RecordKept({
  request,
  onDone,
}: {
  readonly request: RefundRequest
  onDone(request: RefundRequest): void
}): ReactNode {
  const record = useWrite(
    (body: RefundRequest) => contentOf(api.POST('/api/receipts/refund', { body })),
    [['receipts']],
  )
  const save = () =>
    onceWritten(record.mutateAsync(request), () => {
      dropKeptRefund(request)
      onDone(request)
    })
  return (
    <Card title={text('refunds.kept.title')} note={text('refunds.kept.note')}>
      <p className="mb-4 flex flex-wrap items-center gap-4">
        <strong className="text-lg tabular-nums">{money(request.usd)}</strong>
        {request.txHash ? <HashLink kind="tx" value={request.txHash} isCopyable /> : null}
      </p>
      <FormProblem error={record.error} />
      <Button look="main" disabled={record.isPending} onClick={save}>
        {text('refunds.record')}
      </Button>
    </Card>
  )
}

import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { LongField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useRole } from '../../session/use-role.ts'
import type { Receipt } from './receipt.ts'

const longestReason = 500

export function StatusDialog({
  receipt,
  status,
  onClose,
}: {
  readonly receipt: Receipt
  readonly status: 'checkout_success' | 'refund_requested'
  onClose(): void
}): ReactNode {
  const { wallet } = useRole()
  const say = useToast()
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  const { receiptId } = receipt
  const report = useWrite(
    (why: string) =>
      contentOf(api.POST('/api/receipts/status', { body: { receiptId, wallet, status, reason: why } })),
    [['receipts']],
  )
  const kind =
    status === 'refund_requested'
      ? 'mark-refund'
      : receipt.status === 'refund_requested'
        ? 'withdraw'
        : 'mark-paid'
  const confirm = () => {
    setMissing(reason.trim() === '')
    if (reason.trim() === '') return
    report.mutate(reason.trim(), {
      onSuccess() {
        say(text('receipt.status.done'))
        onClose()
      },
    })
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text(`receipt.${kind}` as TextKey)}
      action={text(`receipt.${kind}` as TextKey)}
      isBusy={report.isPending}
      onConfirm={confirm}
    >
      <p>{text(`receipt.${kind}.text` as TextKey)}</p>
      <LongField
        label={text('receipt.reason')}
        hint={text('receipt.reason.hint')}
        rows={3}
        maxLength={longestReason}
        value={reason}
        error={isMissing && reason.trim() === '' ? text('app.required') : undefined}
        onChange={(event) => setReason(event.target.value)}
      />
      <FormProblem error={report.error} />
    </ConfirmDialog>
  )
}

import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'

export function CancelDialog({
  receiptId,
  onClose,
}: {
  readonly receiptId: string
  onClose(): void
}): ReactNode {
  const say = useToast()
  const cancel = useWrite(
    () => contentOf(api.POST('/api/receipts/{id}/cancel', { params: { path: { id: receiptId } } })),
    [['receipts']],
  )
  const confirm = () =>
    cancel.mutate(undefined, {
      onSuccess() {
        say(text('receipt.cancel.done'))
        onClose()
      },
    })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('receipt.cancel.title')}
      action={text('receipt.cancel')}
      isBusy={cancel.isPending}
      onConfirm={confirm}
    >
      <p>{text('receipt.cancel.text')}</p>
      <FormProblem error={cancel.error} />
    </ConfirmDialog>
  )
}

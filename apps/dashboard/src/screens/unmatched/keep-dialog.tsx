import { type ReactNode, useState } from 'react'
import { onceWritten } from '../../api/once-written.ts'
import { otherIssues } from '../../api/other-issues.ts'
import { text } from '../../messages/messages.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { LongField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { AmountOf } from './amount-of.tsx'
import type { Unmatched } from './unmatched.ts'
import { useDecision } from './use-decision.ts'

const longestNote = 500

/** Lets the merchant keep the money. The decision can be changed later. */
export function KeepDialog({
  payment,
  onClose,
}: {
  readonly payment: Unmatched
  onClose(): void
}): ReactNode {
  const say = useToast()
  const [note, setNote] = useState('')
  const decide = useDecision(payment)
  const confirm = () =>
    onceWritten(decide.mutateAsync({ action: 'keep', ...(note.trim() && { note: note.trim() }) }), () => {
      say(text('unmatched.keep.done'))
      onClose()
    })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('unmatched.keep')}
      action={text('unmatched.keep')}
      isBusy={decide.isPending}
      onConfirm={confirm}
    >
      <p className="font-semibold">
        <AmountOf payment={payment} />
      </p>
      <p>{text('unmatched.keep.text')}</p>
      <LongField
        label={text('unmatched.note-field')}
        rows={2}
        maxLength={longestNote}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <FormProblem error={decide.error} others={otherIssues(decide.error)} />
    </ConfirmDialog>
  )
}

import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { dateTime } from '../../format/time.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useSession } from '../../session/session-context.ts'
import { RecipientTable } from './recipient-table.tsx'
import type { Split } from './use-split.ts'

export function PendingChange({ pending }: { readonly pending: NonNullable<Split['pending']> }): ReactNode {
  const isOwner = useSession().session?.role === 'owner'
  const [isAsking, setAsking] = useState(false)
  const say = useToast()
  const cancel = useWrite(
    () =>
      contentOf(
        api.DELETE('/api/split/versions/{version}', {
          params: { path: { version: String(pending.version) } },
        }),
      ),
    [['split'], ['split-versions']],
  )
  const confirm = async () => {
    await cancel.mutateAsync().then(
      () => {
        setAsking(false)
        say(text('split.pending.cancelled'))
      },
      () => {},
    )
  }
  const isDue = pending.effectiveAt <= Date.now()
  return (
    <Card
      title={text('split.pending')}
      note={
        isDue
          ? text('split.pending.due')
          : text('split.pending.note', { time: dateTime(pending.effectiveAt) })
      }
      action={
        isOwner ? (
          <Button look="danger" onClick={() => setAsking(true)}>
            {text('split.pending.cancel')}
          </Button>
        ) : null
      }
    >
      <RecipientTable shares={pending.recipients} />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={text('split.pending.cancel')}
        action={text('split.pending.cancel')}
        isBusy={cancel.isPending}
        onConfirm={() => void confirm()}
      >
        <p>{text('split.pending.cancel.text', { version: pending.version })}</p>
        <FormProblem error={cancel.error} others={issueLines(cancel.error)} />
      </ConfirmDialog>
    </Card>
  )
}

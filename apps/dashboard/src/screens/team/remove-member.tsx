import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { AffectedKeys } from './affected-keys.tsx'
import { type Member, memberChanges } from './member.ts'

/** Removes a member. Keys that the member created are revoked unless the user keeps them. */
export function RemoveMember({
  member: { wallet },
  onClose,
}: {
  readonly member: Member
  onClose(): void
}): ReactNode {
  const say = useToast()
  const { register, getValues } = useForm<{ keepSubscriptions: string[] }>({
    defaultValues: { keepSubscriptions: [] },
  })
  const remove = useWrite(
    (keepSubscriptions: string[]) =>
      contentOf(api.DELETE('/api/members', { params: { query: { wallet } }, body: { keepSubscriptions } })),
    [...memberChanges],
  )
  const confirm = async () => {
    const done = await remove.mutateAsync(getValues('keepSubscriptions')).catch(() => undefined)
    if (!done) return
    onClose()
    say(text('team.removed', { count: done.revokedKeys.length }))
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('team.remove')}
      action={text('team.remove')}
      isBusy={remove.isPending}
      onConfirm={() => void confirm()}
    >
      <code className="text-sm [overflow-wrap:anywhere]">{wallet}</code>
      <p>{text('team.remove.text')}</p>
      <AffectedKeys wallet={wallet} keep={register('keepSubscriptions')} />
      <FormProblem error={remove.error} others={issueLines(remove.error)} />
    </ConfirmDialog>
  )
}

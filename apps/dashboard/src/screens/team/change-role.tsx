import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { AffectedKeys } from './affected-keys.tsx'
import { type Member, type MemberRole, memberChanges } from './member.ts'
import { RoleField } from './role-field.tsx'

type Input = { role: MemberRole; keepSubscriptions: string[] }

/**
 * Changes a member's role. Keys with more rights than the new role are revoked unless the user keeps them.
 */
export function ChangeRole({ member, onClose }: { readonly member: Member; onClose(): void }): ReactNode {
  const say = useToast()
  const { register, handleSubmit, watch } = useForm<Input>({
    defaultValues: { role: member.role, keepSubscriptions: [] },
  })
  const change = useWrite(
    (input: Input) => contentOf(api.POST('/api/members', { body: { wallet: member.wallet, ...input } })),
    [...memberChanges],
  )
  const submit = handleSubmit(async (input) => {
    if (!(await change.mutateAsync(input).catch(() => undefined))) return
    onClose()
    say(text('team.changed', { role: roleName(input.role) }))
  })
  return (
    <Dialog isOpen onClose={onClose} title={text('team.change')} note={<code>{member.wallet}</code>}>
      <form className="grid gap-5" onSubmit={(event) => void submit(event)}>
        <RoleField {...register('role')} />
        {watch('role') === member.role ? null : (
          <AffectedKeys wallet={member.wallet} keep={register('keepSubscriptions')} />
        )}
        <FormProblem error={change.error} others={issueLines(change.error)} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={change.isPending || watch('role') === member.role}>
            {text('team.change')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

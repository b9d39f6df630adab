import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { invitationChanges, type MadeInvitation, type MemberRole } from './member.ts'
import { RoleField } from './role-field.tsx'

type Input = { role: MemberRole; days: string }

/** Validity periods of a link, in days. */
const choices = [1, 7, 30] as const

export function InviteMember({ onClose }: { onClose(): void }): ReactNode {
  const [made, setMade] = useState<MadeInvitation>()
  const { register, handleSubmit, watch } = useForm<Input>({ defaultValues: { role: 'cashier', days: '7' } })
  const make = useWrite(
    ({ role, days }: Input) =>
      contentOf(api.POST('/api/members/invitations', { body: { role, expiresInDays: Number(days) } })),
    [...invitationChanges],
  )
  const submit = handleSubmit(async (input) => setMade(await make.mutateAsync(input).catch(() => undefined)))
  if (made) return <InvitationLink made={made} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={text('team.invite')} note={text('team.invite.note')}>
      <form className="grid gap-5" onSubmit={(event) => void submit(event)}>
        <RoleField {...register('role')} />
        {watch('role') === 'owner' ? (
          <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('team.invite.owner')}</p>
        ) : null}
        <SelectField label={text('team.invite.days')} {...register('days')}>
          {choices.map((days) => (
            <option key={days} value={days}>
              {text('team.invite.days.choice', { days })}
            </option>
          ))}
        </SelectField>
        <FormProblem error={make.error} others={issueLines(make.error)} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={make.isPending}>
            {text('team.invite.make')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

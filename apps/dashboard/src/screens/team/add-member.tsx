import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines, issueOf } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { type MemberRole, memberChanges } from './member.ts'
import { RoleField } from './role-field.tsx'

type Input = { wallet: string; role: MemberRole }

export function AddMember({ onClose }: { onClose(): void }): ReactNode {
  const say = useToast()
  const { register, handleSubmit, formState } = useForm<Input>({
    defaultValues: { wallet: '', role: 'cashier' },
  })
  const add = useWrite((body: Input) => contentOf(api.POST('/api/members', { body })), [...memberChanges])
  const submit = handleSubmit(async ({ wallet, role }) => {
    const added = await add.mutateAsync({ wallet: wallet.trim(), role }).catch(() => undefined)
    if (!added) return
    onClose()
    say(text('team.added', { role: roleName(role) }))
  })
  return (
    <Dialog isOpen onClose={onClose} title={text('team.add')} note={text('team.add.note')}>
      <form className="grid gap-5" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label={text('team.column.wallet')}
          placeholder="0x…"
          spellCheck={false}
          error={formState.errors.wallet ? text('team.wallet.wrong') : issueOf(add.error, 'wallet')}
          {...register('wallet', { validate: (wallet) => /^0x[0-9a-fA-F]{40}$/.test(wallet.trim()) })}
        />
        <RoleField {...register('role')} />
        <FormProblem error={add.error} others={issueLines(add.error)} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={add.isPending}>
            {text('team.add')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines, issueOf } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useSession } from '../../session/session-context.ts'
import type { FreshKeys, Scope } from './use-keys.ts'

const scopeTexts: Readonly<Record<Scope, TextKey>> = {
  'receipts:read': 'developers.scope.receipts-read',
  'receipts:write': 'developers.scope.receipts-write',
  'orders:create': 'developers.scope.orders-create',
  'inventory:read': 'developers.scope.inventory-read',
  'inventory:write': 'developers.scope.inventory-write',
  'shop:read': 'developers.scope.shop-read',
  'split:read': 'developers.scope.split-read',
}
const scopes = Object.keys(scopeTexts) as Scope[]

export function MakeKey({ onClose, onMade }: { onClose(): void; onMade(fresh: FreshKeys): void }): ReactNode {
  const isDeveloper = useSession().session?.role === 'developer'
  const mayGive = (scope: Scope) => !isDeveloper || scope.endsWith(':read')
  const { register, handleSubmit, watch, formState } = useForm<{ name: string; scopes: Scope[] }>({
    defaultValues: { name: '', scopes: [] },
  })
  const make = useWrite(
    (body: { name: string; scopes: Scope[] }) => contentOf(api.POST('/api/subscriptions', { body })),
    [['subscriptions']],
  )
  const submit = handleSubmit(async ({ name, scopes: chosen }) => {
    const made = await make.mutateAsync({ name: name.trim(), scopes: chosen }).catch(() => undefined)
    if (!made) return
    const { primaryKey, secondaryKey } = made
    const keys = [
      { slot: 'primary', key: primaryKey },
      { slot: 'secondary', key: secondaryKey },
    ]
    onMade({ name: name.trim(), keys })
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text('developers.key.make')}
      note={text('developers.key.make.note')}
    >
      <form className="grid gap-5" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label={text('developers.key.name')}
          hint={text('developers.key.name.hint')}
          maxLength={200}
          error={formState.errors.name ? text('app.required') : issueOf(make.error, 'name')}
          {...register('name', { validate: (name) => name.trim() !== '' })}
        />
        <fieldset className="grid gap-1">
          <legend className="mb-1 font-medium">{text('developers.key.scopes')}</legend>
          {scopes.filter(mayGive).map((scope) => (
            <CheckField
              key={scope}
              label={<code>{scope}</code>}
              hint={text(scopeTexts[scope])}
              value={scope}
              {...register('scopes')}
            />
          ))}
        </fieldset>
        <FormProblem error={make.error} others={issueLines(make.error)} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={make.isPending || watch('scopes').length === 0}>
            {text('developers.key.do')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { issueOf } from '../../api/issue-of.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { TextField } from '../../parts/field.tsx'
import { SaveRow } from './save-row.tsx'
import type { Settings } from './use-save.ts'
import { useSave } from './use-save.ts'

/** Where the merchant is told of what needs attention. */
export function NotificationSettings({ settings }: { readonly settings: Settings }): ReactNode {
  const { write, save } = useSave()
  const { register, handleSubmit, formState } = useForm({
    values: { address: settings.notificationAddress ?? '' },
  })
  const submit = handleSubmit(({ address }) => save({ notificationAddress: address.trim() || null }))
  return (
    <Card title={text('settings.notifications')} note={text('settings.notifications.note')}>
      <form className="grid gap-4" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          type="email"
          autoComplete="email"
          label={text('settings.notifications.address')}
          error={issueOf(write.error, 'notificationAddress')}
          {...register('address')}
        />
        <SaveRow error={write.error} isBusy={write.isPending} isChanged={formState.isDirty} />
      </form>
    </Card>
  )
}

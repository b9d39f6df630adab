import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError } from '../../api/api-error.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { LongField } from '../../parts/field.tsx'
import { SaveRow } from './save-row.tsx'
import type { Settings } from './use-save.ts'
import { useSave } from './use-save.ts'

export function EmbedSettings({ settings }: { readonly settings: Settings }): ReactNode {
  const { write, save } = useSave()
  const { register, handleSubmit, formState } = useForm({
    values: { origins: settings.embedOrigins.join('\n') },
  })
  const submit = handleSubmit(({ origins }) => save({ embedOrigins: origins.split(/\s+/).filter(Boolean) }))
  const issue =
    write.error instanceof ApiError
      ? write.error.issues.find(({ path }) => path.startsWith('embedOrigins'))?.message
      : undefined
  return (
    <Card title={text('settings.embed')} note={text('settings.embed.note')}>
      <form className="grid gap-4" noValidate onSubmit={(event) => void submit(event)}>
        <LongField
          label={text('settings.embed.origins')}
          hint={text('settings.embed.hint')}
          spellCheck={false}
          error={issue}
          {...register('origins')}
        />
        <SaveRow error={write.error} isBusy={write.isPending} isChanged={formState.isDirty} />
      </form>
    </Card>
  )
}

import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { issueOf } from '../../api/issue-of.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { TextField } from '../../parts/field.tsx'
import { SaveRow } from './save-row.tsx'
import type { Settings } from './use-save.ts'
import { useSave } from './use-save.ts'

export function FinalitySettings({ settings }: { readonly settings: Settings }): ReactNode {
  const { write, save } = useSave()
  const { safeFromUsd, finalFromUsd } = settings.finality
  const { register, handleSubmit, formState } = useForm({
    values: { safe: String(safeFromUsd), final: String(finalFromUsd) },
  })
  const submit = handleSubmit(({ safe, final }) =>
    save({ finality: { safeFromUsd: numberOf(safe), finalFromUsd: numberOf(final) } }),
  )
  const rule = { validate: (value: string) => /^\d{1,9}([.,]\d{1,2})?$/.test(value.trim()) }
  const wrong = (field: 'safe' | 'final', path: string) =>
    formState.errors[field] ? text('settings.amount.wrong') : issueOf(write.error, path)
  return (
    <Card title={text('settings.finality')} note={text('settings.finality.note')}>
      <form className="grid gap-4" noValidate onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            inputMode="decimal"
            label={text('settings.finality.safe')}
            hint={text('settings.finality.safe.hint')}
            error={wrong('safe', 'finality/safeFromUsd')}
            {...register('safe', rule)}
          />
          <TextField
            inputMode="decimal"
            label={text('settings.finality.final')}
            hint={text('settings.finality.final.hint')}
            error={wrong('final', 'finality/finalFromUsd')}
            {...register('final', rule)}
          />
        </div>
        <SaveRow error={write.error} isBusy={write.isPending} isChanged={formState.isDirty} />
      </form>
    </Card>
  )
}

function numberOf(value: string): number {
  return Number(value.trim().replace(',', '.'))
}

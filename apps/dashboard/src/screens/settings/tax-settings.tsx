import type { ReactNode } from 'react'
import { useFieldArray, useForm } from 'react-hook-form'
import { issueOf } from '../../api/issue-of.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { TextField } from '../../parts/field.tsx'
import { SaveRow } from './save-row.tsx'
import { percentOfRate, rateOfPercent } from './tax-rate.ts'
import type { Settings } from './use-save.ts'
import { useSave } from './use-save.ts'

type Rows = { rates: { code: string; percent: string; components: string }[] }

/** The merchant's own tax rates, which override the service's rates. */
export function TaxSettings({ settings }: { readonly settings: Settings }): ReactNode {
  const { write, save } = useSave()
  const { control, register, handleSubmit, formState } = useForm<Rows>({
    values: {
      rates: settings.taxRates.map(({ jurisdictionCode, rate, components }) => ({
        code: jurisdictionCode,
        percent: percentOfRate(rate),
        components: components.join(', '),
      })),
    },
  })
  const { fields, append, remove } = useFieldArray({ control, name: 'rates' })
  const submit = handleSubmit(({ rates }) =>
    save({
      taxRates: rates.map(({ code, percent, components }) => ({
        jurisdictionCode: code.trim(),
        rate: rateOfPercent(percent) ?? 0,
        components: components.split(',').flatMap((name) => (name.trim() ? [name.trim()] : [])),
      })),
    }),
  )
  const wrong = (row: number, field: keyof Rows['rates'][number]) =>
    formState.errors.rates?.[row]?.[field] ? text(`settings.tax.${field}.wrong`) : undefined
  return (
    <Card title={text('settings.tax')} note={text('settings.tax.note')}>
      <form className="grid gap-4" noValidate onSubmit={(event) => void submit(event)}>
        {fields.length === 0 ? <p className="text-dim">{text('settings.tax.none')}</p> : null}
        <ol className="grid gap-4">
          {fields.map((field, row) => (
            <li key={field.id} className="grid items-start gap-3 sm:grid-cols-[8rem_7rem_minmax(0,1fr)_auto]">
              <TextField
                label={text('settings.tax.code')}
                placeholder="US-NY"
                error={wrong(row, 'code') ?? issueOf(write.error, `taxRates/${row}/jurisdictionCode`)}
                {...register(`rates.${row}.code`, {
                  validate: (code) => /^[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?$/.test(code.trim()),
                })}
              />
              <TextField
                label={text('settings.tax.percent')}
                inputMode="decimal"
                error={wrong(row, 'percent') ?? issueOf(write.error, `taxRates/${row}/rate`)}
                {...register(`rates.${row}.percent`, {
                  validate: (percent) => rateOfPercent(percent) !== undefined,
                })}
              />
              <TextField
                label={text('settings.tax.components')}
                hint={text('settings.tax.components.hint')}
                {...register(`rates.${row}.components`)}
              />
              <Button
                className="sm:mt-[1.875rem]"
                aria-label={text('settings.tax.remove', { row: row + 1 })}
                onClick={() => remove(row)}
              >
                <span aria-hidden="true">✕</span>
              </Button>
            </li>
          ))}
        </ol>
        <p>
          <Button onClick={() => append({ code: '', percent: '', components: '' })}>
            {text('settings.tax.add')}
          </Button>
        </p>
        <SaveRow error={write.error} isBusy={write.isPending} isChanged={formState.isDirty} />
      </form>
    </Card>
  )
}

import type { ReactNode } from 'react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { type Draft, readQuantity } from './draft.ts'

const mostLines = 50

export function LinkLines(): ReactNode {
  const { control, register, setFocus, formState } = useFormContext<Draft>()
  const { fields, append, remove } = useFieldArray({ control, name: 'lines' })
  const { errors } = formState
  return (
    <div className="grid gap-4">
      <ul className="grid gap-4">
        {fields.map((field, i) => (
          <LinkLine
            key={field.id}
            index={i}
            onRemove={
              fields.length > 1
                ? () => {
                    remove(i)
                    setFocus(`lines.${Math.max(0, i - 1)}.label`)
                  }
                : undefined
            }
          />
        ))}
      </ul>
      <div>
        <Button
          disabled={fields.length >= mostLines}
          onClick={() =>
            append({ label: '', qty: '1', price: '' }, { focusName: `lines.${fields.length}.label` })
          }
        >
          <span aria-hidden="true">+</span> {text('new-link.add-line')}
        </Button>
      </div>
      <div className="max-w-56">
        <TextField
          label={text('new-link.discount-amount')}
          hint={text('new-link.discount-hint')}
          inputMode="decimal"
          placeholder="0.00"
          error={errors.discount?.message}
          {...register('discount', {
            validate: (typed) =>
              typed.trim() === '' || readCents(typed) !== undefined || text('new-link.error.amount'),
          })}
        />
      </div>
    </div>
  )
}

function LinkLine({
  index,
  onRemove,
}: {
  readonly index: number
  readonly onRemove: (() => void) | undefined
}): ReactNode {
  const { register, formState } = useFormContext<Draft>()
  const messages = formState.errors.lines?.[index]
  return (
    <li className="grid grid-cols-[5rem_minmax(0,1fr)_auto] items-start gap-3 border-line not-first:border-t not-first:pt-4 sm:grid-cols-[minmax(0,1fr)_5rem_8rem_auto] sm:not-first:border-t-0 sm:not-first:pt-0">
      <div className="col-span-3 sm:col-span-1">
        <TextField
          label={text('new-link.line.label')}
          error={messages?.label?.message}
          maxLength={200}
          {...register(`lines.${index}.label`, {
            validate: (typed) => typed.trim() !== '' || text('app.required'),
          })}
        />
      </div>
      <TextField
        label={text('new-link.line.qty')}
        inputMode="numeric"
        error={messages?.qty?.message}
        {...register(`lines.${index}.qty`, {
          validate: (typed) => readQuantity(typed) !== undefined || text('new-link.error.qty'),
        })}
      />
      <TextField
        label={text('new-link.line.price')}
        inputMode="decimal"
        placeholder="0.00"
        error={messages?.price?.message}
        {...register(`lines.${index}.price`, {
          validate: (typed) => readCents(typed) !== undefined || text('new-link.error.amount'),
        })}
      />
      <button
        type="button"
        disabled={!onRemove}
        onClick={onRemove}
        aria-label={text('new-link.line.remove', { number: index + 1 })}
        className="mt-7.5 grid size-11 place-items-center rounded-xl text-dim hover:bg-soft disabled:opacity-40"
      >
        <span aria-hidden="true">✕</span>
      </button>
    </li>
  )
}

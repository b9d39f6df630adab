import type { ReactNode } from 'react'
import type { FieldErrors, UseFieldArrayReturn, UseFormRegister } from 'react-hook-form'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import type { ShopValues } from './shop-values.ts'

const mostLinks = 50

export function LinkRows({
  rows,
  register,
  errors,
}: {
  readonly rows: UseFieldArrayReturn<ShopValues, 'links'>
  readonly register: UseFormRegister<ShopValues>
  readonly errors: FieldErrors<ShopValues>
}): ReactNode {
  const { fields, append, remove, move } = rows
  return (
    <div className="grid gap-4">
      <ol className="grid gap-4">
        {fields.map((field, i) => (
          <li key={field.id} className="grid items-start gap-3 sm:grid-cols-[1fr_2fr_auto]">
            <TextField
              label={text('shop.link.label')}
              maxLength={200}
              error={errors.links?.[i]?.label?.message}
              {...register(`links.${i}.label`, { required: text('app.required') })}
            />
            <TextField
              label={text('shop.link.url')}
              maxLength={2048}
              error={errors.links?.[i]?.url?.message}
              {...register(`links.${i}.url`, { required: text('app.required') })}
            />
            <span className="flex gap-1 sm:mt-7.5">
              <Move
                label={text('shop.link.up', { place: i + 1 })}
                sign="↑"
                isOff={i === 0}
                onMove={() => move(i, i - 1)}
              />
              <Move
                label={text('shop.link.down', { place: i + 1 })}
                sign="↓"
                isOff={i === fields.length - 1}
                onMove={() => move(i, i + 1)}
              />
              <Move
                label={text('shop.link.remove', { place: i + 1 })}
                sign="✕"
                isOff={false}
                onMove={() => remove(i)}
              />
            </span>
          </li>
        ))}
      </ol>
      {fields.length < mostLinks ? (
        <Button className="justify-self-start" onClick={() => append({ label: '', url: '' })}>
          {text('shop.link.add')}
        </Button>
      ) : null}
    </div>
  )
}

function Move(props: {
  readonly label: string
  readonly sign: string
  readonly isOff: boolean
  onMove(): void
}): ReactNode {
  return (
    <button
      type="button"
      aria-label={props.label}
      disabled={props.isOff}
      onClick={props.onMove}
      className="grid size-11 place-items-center rounded-xl border border-line bg-card hover:bg-soft disabled:opacity-40"
    >
      <span aria-hidden="true">{props.sign}</span>
    </button>
  )
}

import type { ReactNode } from 'react'
import type { UseFormRegister } from 'react-hook-form'
import { formatTag, text } from '../../messages/messages.ts'
import { CheckField, TextField } from '../../parts/field.tsx'
import { type BrandValues, shareOf, sumOf, tokens } from './brand-values.ts'

const whole = 1_000_000n

export function ReserveFields({
  register,
  ratios,
  isOn,
  error,
}: {
  readonly register: UseFormRegister<BrandValues>
  readonly ratios: Readonly<Record<string, string>>
  readonly isOn: boolean
  readonly error: unknown
}): ReactNode {
  const sum = sumOf(ratios)
  const percent = new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 4 })
  const reported =
    sum === undefined
      ? text('site.ratios.wrong')
      : text('site.ratios.sum', { sum: percent.format(Number(sum) / 1e6) })
  return (
    <div className="mt-5 grid gap-3 border-line border-t pt-4">
      <CheckField label={text('site.ratios')} hint={text('site.ratios.hint')} {...register('hasRatios')} />
      {isOn ? (
        <>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-5">
            {tokens.map((token) => (
              <TextField
                key={token}
                label={text('site.ratio', { token })}
                inputMode="decimal"
                error={shareOf(ratios[token] ?? '') === undefined ? text('site.ratio.wrong') : undefined}
                {...register(`ratios.${token}`)}
              />
            ))}
          </div>
          <p role="status" className={sum === whole ? 'text-good' : 'text-wait'}>
            <span aria-hidden="true">{sum === whole ? '✓ ' : '◔ '}</span>
            {reported}
          </p>
          {typeof error === 'string' ? (
            <p role="alert" className="text-bad">
              {error}
            </p>
          ) : null}
        </>
      ) : null}
    </div>
  )
}

import { parseColour } from '@sluice/protocol/colour.ts'
import { type ReactNode, useId } from 'react'
import { formatTag, text } from '../../messages/messages.ts'
import type { Correction } from './look.ts'

export function ColourField({
  label,
  hint,
  value,
  correction,
  error,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly correction: Correction | undefined
  readonly error: string | undefined
  onChange(value: string): void
}): ReactNode {
  const id = useId()
  const colour = parseColour(value)?.slice(0, 7)
  const problem = error ?? (colour === undefined ? text('shop.look.colour.wrong') : undefined)
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          type="color"
          aria-label={text('shop.look.colour.pick', { label })}
          value={colour ?? '#000000'}
          onChange={(event) => onChange(event.target.value)}
          className="h-11 w-14 shrink-0 cursor-pointer rounded-xl border border-line bg-card p-1"
        />
        <input
          id={id}
          value={value}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-note`}
          aria-invalid={Boolean(problem)}
          onChange={(event) => onChange(event.target.value)}
          className="min-h-11 w-full min-w-0 rounded-xl border border-line bg-card px-3 py-2 font-mono aria-invalid:border-bad"
        />
      </div>
      <div id={`${id}-note`} className="grid gap-1 text-sm">
        <p className="text-dim">{hint}</p>
        {problem ? (
          <p role="alert" className="text-bad">
            {problem}
          </p>
        ) : null}
        {correction && !problem ? <Corrected correction={correction} /> : null}
      </div>
    </div>
  )
}

function Corrected({ correction: { shown, ratio } }: { readonly correction: Correction }): ReactNode {
  const format = new Intl.NumberFormat(formatTag(), { maximumFractionDigits: 1 })
  return (
    <p className="flex gap-2 rounded-lg bg-wait-soft p-2 text-wait">
      <span aria-hidden="true">⚠</span>
      <span>
        {text('shop.look.corrected', { ratio: format.format(ratio), shown })}{' '}
        <svg
          aria-hidden="true"
          viewBox="0 0 16 16"
          className="inline size-4 rounded border border-line align-middle"
        >
          <path d="M0 0h16v16H0z" fill={shown} />
        </svg>
      </span>
    </p>
  )
}

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { keyOf, readPercent, type TaxPreset } from './tax.ts'

export function TaxChoice({
  presets,
  chosen,
  onChoose,
  onAdd,
}: {
  readonly presets: readonly TaxPreset[]
  readonly chosen: TaxPreset | undefined
  onChoose(preset: TaxPreset | undefined): void
  onAdd(preset: TaxPreset): void
}): ReactNode {
  const [isAdding, setAdding] = useState(false)
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">{text('terminal.tax')}</legend>
      <div className="flex flex-wrap gap-2">
        <Choice isChosen={chosen === undefined} onChoose={() => onChoose(undefined)}>
          {text('terminal.tax.none')}
        </Choice>
        {presets.map((preset) => (
          <Choice
            key={keyOf(preset)}
            isChosen={chosen !== undefined && keyOf(preset) === keyOf(chosen)}
            onChoose={() => onChoose(preset)}
          >
            {taxName(preset)}
          </Choice>
        ))}
        <Button onClick={() => setAdding(true)}>{text('terminal.tax.add')}</Button>
      </div>
      {isAdding ? (
        <AddTax
          onClose={() => setAdding(false)}
          onAdd={(preset) => {
            onAdd(preset)
            setAdding(false)
          }}
        />
      ) : null}
    </fieldset>
  )
}

/** Returns the display name of a tax, such as `US-CA 7.25%`. */
export function taxName({ jurisdictionCode, rate }: TaxPreset): string {
  const percent = percentText(rate)
  return jurisdictionCode === undefined
    ? percent
    : text('terminal.tax.of', { place: jurisdictionCode, percent })
}

function percentText(rate: number): string {
  return new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 4 }).format(rate)
}

function Choice({
  isChosen,
  onChoose,
  children,
}: {
  readonly isChosen: boolean
  onChoose(): void
  readonly children: ReactNode
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={`min-h-11 rounded-xl border px-4 py-2 font-semibold ${isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line bg-card hover:bg-soft'}`}
    >
      {isChosen ? <span aria-hidden="true">✓ </span> : null}
      {children}
    </button>
  )
}

function AddTax({ onClose, onAdd }: { onClose(): void; onAdd(preset: TaxPreset): void }): ReactNode {
  const catalogue = useQuery({
    queryKey: ['tax-catalogue'],
    queryFn: () => contentOf(api.GET('/api/tax/catalog')),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const places = catalogue.data?.jurisdictions ?? []
  const [place, setPlace] = useState('')
  const [percent, setPercent] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const found = places.find(({ jurisdictionCode }) => jurisdictionCode === place)
    if (found) return onAdd({ jurisdictionCode: found.jurisdictionCode, rate: found.taxRate })
    const rate = readPercent(percent)
    if (rate === undefined) setProblem(text('terminal.tax.wrong'))
    else onAdd({ rate })
  }
  return (
    <Dialog isOpen onClose={onClose} title={text('terminal.tax.title')} note={text('terminal.tax.note')}>
      <form onSubmit={submit} className="grid gap-4">
        <SelectField
          label={text('terminal.tax.place')}
          value={place}
          onChange={(event) => setPlace(event.target.value)}
        >
          <option value="">{text('terminal.tax.own')}</option>
          {places.map(({ jurisdictionCode, name, taxRate }) => (
            <option key={jurisdictionCode} value={jurisdictionCode}>
              {text('terminal.tax.option', { name, code: jurisdictionCode, percent: percentText(taxRate) })}
            </option>
          ))}
        </SelectField>
        {place === '' ? (
          <TextField
            label={text('terminal.tax.percent')}
            inputMode="decimal"
            value={percent}
            error={problem}
            onChange={(event) => setPercent(event.target.value)}
          />
        ) : null}
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main">
            {text('terminal.tax.keep')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

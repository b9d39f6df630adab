import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { SelectField } from '../../parts/field.tsx'

/** A tax jurisdiction. */
export type Place = {
  readonly code: string
  readonly name: string
  readonly rate: number
  readonly isOwn: boolean
}

/** Returns the merchant's own tax rates, followed by the service's rates. */
export function usePlaces(): readonly Place[] {
  const catalogue = useQuery({
    queryKey: ['tax-catalogue'],
    queryFn: () => contentOf(api.GET('/api/tax/catalog')),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: () => contentOf(api.GET('/api/settings')),
    retry: false,
  })
  const known = catalogue.data?.jurisdictions ?? []
  const nameOf = (code: string) =>
    known.find(({ jurisdictionCode }) => jurisdictionCode === code)?.name ?? code
  const own = (settings.data?.settings.taxRates ?? []).map(({ jurisdictionCode: code, rate }) => ({
    code,
    name: nameOf(code),
    rate,
    isOwn: true,
  }))
  const rest = known
    .filter(({ jurisdictionCode }) => !own.some(({ code }) => code === jurisdictionCode))
    .map(({ jurisdictionCode: code, name, taxRate: rate }) => ({ code, name, rate, isOwn: false }))
  return [...own, ...rest]
}

export function PlaceField({
  places,
  value,
  error,
  onChange,
}: {
  readonly places: readonly Place[]
  readonly value: string
  readonly error: string | undefined
  onChange(code: string): void
}): ReactNode {
  const percent = new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 4 })
  const option = ({ code, name, rate }: Place) => (
    <option key={code} value={code}>
      {text('orders.place.option', { name, code, percent: percent.format(rate) })}
    </option>
  )
  const own = places.filter(({ isOwn }) => isOwn)
  return (
    <SelectField
      label={text('orders.place')}
      hint={text('orders.place.hint')}
      value={value}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{text('orders.place.choose')}</option>
      {own.length > 0 ? <optgroup label={text('orders.place.own')}>{own.map(option)}</optgroup> : null}
      <optgroup label={text('orders.place.catalogue')}>
        {places.filter(({ isOwn }) => !isOwn).map(option)}
      </optgroup>
    </SelectField>
  )
}

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { amountOf, moneyOf } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, SelectField, TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { useRole } from '../../session/use-role.ts'
import { CustomerScreen } from './customer-screen.tsx'
import { type Key, Keypad } from './keypad.tsx'
import type { Sale } from './sale.ts'
import { readySound } from './sound.ts'
import { keyOf, type TaxPreset, taxOn } from './tax.ts'
import { TaxChoice, taxName } from './tax-choice.tsx'
import { type TerminalSettings, useTerminalSettings } from './terminal-settings.ts'

const mostCents = 99_999_999_99n

export function Terminal(): ReactNode {
  const [settings, change] = useTerminalSettings()
  const [cents, setCents] = useState(0n)
  const [label, setLabel] = useState('')
  const [sale, setSale] = useState<Sale>()
  const presets = usePresets(settings.presets)
  const tax = presets.find((preset) => keyOf(preset) === settings.taxKey)
  const { currency } = settings
  const charge = useWrite(
    () =>
      contentOf(
        api.POST('/api/receipts/terminal', {
          body: {
            amount: amountOf(cents),
            currency,
            ...(label.trim() && { label: label.trim() }),
            ...taxOf(tax),
          },
        }),
      ),
    [['receipts']],
  )
  const press = (key: Key) => {
    const typed = key === 'back' ? cents / 10n : BigInt(`${cents}${key}`)
    if (typed <= mostCents) setCents(typed)
  }
  const send = () => {
    readySound()
    charge.mutate(undefined, {
      onSuccess({ receipt, paymentUrl }) {
        const { receiptId, totalUsd, total = totalUsd } = receipt
        setSale({ receiptId, paymentUrl, total, currency, label: label.trim(), lines: receipt.lineItems })
      },
    })
  }
  const next = () => {
    setSale(undefined)
    setCents(0n)
    setLabel('')
    charge.reset()
  }
  return (
    <>
      <PageHeader title={text('terminal.title')} />
      <div className="mx-auto grid max-w-xl gap-6 lg:mx-0 lg:max-w-4xl lg:grid-cols-[1fr_18rem]">
        <div className="grid content-start gap-4">
          <Amount {...{ cents, currency, tax }} />
          <TaxChoice
            presets={presets}
            chosen={tax}
            onChoose={(preset) => change({ taxKey: preset && keyOf(preset) })}
            onAdd={(preset) => change(withPreset(settings, preset))}
          />
          <Keypad onKey={press} />
          <Button
            look="main"
            className="min-h-16 text-xl"
            disabled={cents === 0n || charge.isPending}
            onClick={send}
          >
            {text('terminal.charge', { amount: moneyOf(cents + taxCents(cents, tax), currency) })}
          </Button>
          <FormProblem error={charge.error} />
        </div>
        <div className="grid content-start gap-5 sm:grid-cols-2 lg:grid-cols-1">
          <TextField
            label={text('terminal.label')}
            placeholder={text('terminal.label.usual')}
            maxLength={200}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
          <SelectField
            label={text('terminal.currency')}
            value={currency}
            onChange={(event) => change({ currency: event.target.value as TerminalSettings['currency'] })}
          >
            <option value="USD">{text('terminal.currency.usd')}</option>
            <option value="EUR">{text('terminal.currency.eur')}</option>
          </SelectField>
          <CheckField
            label={text('terminal.sound')}
            checked={settings.hasSound}
            onChange={(event) => change({ hasSound: event.target.checked })}
          />
        </div>
      </div>
      {sale ? <CustomerScreen sale={sale} hasSound={settings.hasSound} onNext={next} /> : null}
    </>
  )
}

function Amount({
  cents,
  currency,
  tax,
}: {
  readonly cents: bigint
  readonly currency: string
  readonly tax: TaxPreset | undefined
}): ReactNode {
  return (
    <output className="grid justify-items-end rounded-2xl border border-line bg-card px-5 py-4">
      <span className="font-bold text-5xl tabular-nums tracking-tight sm:text-6xl [overflow-wrap:anywhere]">
        {moneyOf(cents, currency)}
      </span>
      <span className="min-h-6 text-dim">
        {tax
          ? text('terminal.with-tax', { tax: moneyOf(taxCents(cents, tax), currency), name: taxName(tax) })
          : text('terminal.without-tax')}
      </span>
    </output>
  )
}

/** Returns the merchant's tax rates, if the role may read them, and the rates added in this browser. */
function usePresets(own: readonly TaxPreset[]): readonly TaxPreset[] {
  const { isManager } = useRole()
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: () => contentOf(api.GET('/api/settings')),
    enabled: isManager,
    retry: false,
  })
  const known = settings.data?.settings.taxRates ?? []
  const all = [...known.map(({ jurisdictionCode, rate }) => ({ jurisdictionCode, rate })), ...own]
  return all.filter((preset, i) => all.findIndex((other) => keyOf(other) === keyOf(preset)) === i)
}

function withPreset(settings: TerminalSettings, preset: TaxPreset): Partial<TerminalSettings> {
  const others = settings.presets.filter((other) => keyOf(other) !== keyOf(preset))
  return { presets: [...others, preset].slice(-8), taxKey: keyOf(preset) }
}

function taxOf(tax: TaxPreset | undefined): { jurisdictionCode?: string; taxRate?: number } {
  if (!tax) return {}
  return tax.jurisdictionCode === undefined
    ? { taxRate: tax.rate }
    : { jurisdictionCode: tax.jurisdictionCode }
}

function taxCents(cents: bigint, tax: TaxPreset | undefined): bigint {
  return tax ? taxOn(cents, tax.rate) : 0n
}

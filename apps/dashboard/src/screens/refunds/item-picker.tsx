import type { ReactNode } from 'react'
import type { components } from '../../api/schema.d.ts'
import { centsOf } from '../../format/cents.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { CheckField } from '../../parts/field.tsx'

type Line = components['schemas']['ReceiptDetail']['lineItems'][number]

export function ItemPicker({
  lines,
  chosen,
  onChange,
}: {
  readonly lines: readonly Line[]
  readonly chosen: readonly number[]
  onChange(chosen: number[], cents: bigint): void
}): ReactNode {
  if (lines.length < 2) return null
  const toggle = (index: number) => {
    const next = chosen.includes(index)
      ? chosen.filter((i) => i !== index)
      : [...chosen, index].sort((a, b) => a - b)
    const sum = next.reduce((total, i) => total + centsOf(lines[i]?.priceUsd ?? 0), 0n)
    onChange(next, sum > 0n ? sum : 0n)
  }
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{text('refunds.items')}</legend>
      {lines.map((line, i) => (
        <CheckField
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id and keep their order
          key={i}
          checked={chosen.includes(i)}
          onChange={() => toggle(i)}
          label={
            <span className="inline-flex flex-wrap gap-x-3">
              <bdi>{line.label}</bdi>
              <span className="text-dim tabular-nums">{money(line.priceUsd)}</span>
            </span>
          }
        />
      ))}
    </fieldset>
  )
}

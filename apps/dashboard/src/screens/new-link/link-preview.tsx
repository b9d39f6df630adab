import type { ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import { moneyOf } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { addUp, type Draft } from './draft.ts'

export function LinkPreview(): ReactNode {
  const { lines = [], discount = '', currency = 'USD' } = useWatch<Draft>() as Partial<Draft>
  const sum = addUp({ lines, discount })
  return (
    <Card title={text('new-link.preview')}>
      <ul>
        {sum.lines.map(({ label, qty, cents }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id and keep their order
          <li key={i} className="flex justify-between gap-4 py-1.5">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {label.trim() ? (
                <bdi>{label}</bdi>
              ) : (
                <span className="text-dim">{text('new-link.unnamed')}</span>
              )}{' '}
              {qty > 1n ? (
                <span className="text-dim">{text('new-link.quantity', { count: qty.toString() })}</span>
              ) : null}
            </span>
            <span className="tabular-nums">{moneyOf(cents, currency)}</span>
          </li>
        ))}
        {sum.discount > 0n ? (
          <li className="flex justify-between gap-4 py-1.5 text-good">
            <span>{text('new-link.discount')}</span>
            <span className="tabular-nums">{moneyOf(-sum.discount, currency)}</span>
          </li>
        ) : null}
      </ul>
      <p className="mt-3 flex items-baseline justify-between gap-4 border-ink border-t-2 pt-3">
        <span className="font-semibold">{text('new-link.total')}</span>
        <output className="font-bold text-2xl tabular-nums">{moneyOf(sum.total, currency)}</output>
      </p>
      <p className="mt-3 text-dim text-sm">
        {text(currency === 'EUR' ? 'new-link.preview.eur' : 'new-link.preview.usd')}
      </p>
    </Card>
  )
}

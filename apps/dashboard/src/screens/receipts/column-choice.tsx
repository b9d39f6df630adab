import type { ReactNode } from 'react'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { CheckField } from '../../parts/field.tsx'
import { type ReceiptColumn, receiptColumns } from './use-columns.ts'

export function ColumnChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly ReceiptColumn[]
  onChange(chosen: readonly ReceiptColumn[]): void
}): ReactNode {
  const toggle = (column: ReceiptColumn) =>
    onChange(receiptColumns.filter((each) => (each === column) !== chosen.includes(each)))
  return (
    <details
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary className="inline-flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-xl border border-line bg-card px-4 py-2 font-semibold hover:bg-soft">
        {text('receipts.columns')} <span aria-hidden="true">▾</span>
      </summary>
      <fieldset className="absolute end-0 z-10 mt-2 grid w-60 rounded-xl border border-line bg-card p-4 shadow-xl">
        <legend className="sr-only">{text('receipts.columns')}</legend>
        {receiptColumns.map((column) => (
          <CheckField
            key={column}
            label={text(`receipts.column.${column}` as TextKey)}
            checked={chosen.includes(column)}
            onChange={() => toggle(column)}
          />
        ))}
      </fieldset>
    </details>
  )
}

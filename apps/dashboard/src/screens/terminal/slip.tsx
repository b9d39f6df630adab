import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { money } from '../../format/money.ts'
import { dateTime } from '../../format/time.ts'
import { text } from '../../messages/messages.ts'
import type { Sale } from './sale.ts'

/** The printed slip, which fits the narrow paper roll of a receipt printer. */
export function Slip({ sale }: { readonly sale: Sale }): ReactNode {
  const { lines, total, currency, receiptId } = sale
  return createPortal(
    <div className="print-only">
      <p className="font-bold text-lg">{text('terminal.slip.title')}</p>
      <p>{dateTime(Date.now())}</p>
      <ul className="my-3">
        {lines.map(({ label, priceUsd, amount }) => (
          <li key={label} className="flex justify-between gap-4">
            <bdi>{label}</bdi>
            <span>{amount === undefined ? money(priceUsd) : money(amount, currency)}</span>
          </li>
        ))}
      </ul>
      <p className="flex justify-between gap-4 border-t-2 pt-1 font-bold">
        {text('terminal.slip.total')} <span>{money(total, currency)}</span>
      </p>
      <p className="mt-3 [overflow-wrap:anywhere]">{text('terminal.slip.receipt', { id: receiptId })}</p>
      <p className="[overflow-wrap:anywhere]">{`${location.origin}/receipt/${receiptId}`}</p>
    </div>,
    document.body,
  )
}

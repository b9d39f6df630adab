import type { ReactNode } from 'react'
import type { operations } from '../../api/schema.d.ts'
import { centsOf, moneyOf } from '../../format/cents.ts'
import { money } from '../../format/money.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'

export type Summary = operations['getReceiptsSummary']['responses'][200]['content']['application/json']

const kinds = ['total', 'paid', 'awaiting', 'refunded', 'fees'] as const

const paidLike = ['paid', 'reconciled', 'paid - ach pending', 'refund_requested', 'refunded']
/** Statuses that the gross count excludes: not paid, and no payment is expected. */
const comeToNothing = ['failed', 'cancelled', 'expired', 'stopped']

/** Shows totals per currency. Amounts in different currencies are never added. */
export function Totals({ summary }: { readonly summary: Summary }): ReactNode {
  const { totals } = summary
  const shown = totals.length > 0 ? totals : [none]
  const paidCount = countOf(summary.byStatus, paidLike)
  const grossCount = summary.count - countOf(summary.byDisplayStatus, comeToNothing)
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      {kinds.map((kind) => (
        <div
          key={kind}
          className="grid content-start gap-1 rounded-2xl border border-line bg-card p-5 last:col-span-2 lg:last:col-span-1"
        >
          <dt className="text-dim text-sm">{text(`overview.total.${kind}` as TextKey)}</dt>
          {shown.map((each) => (
            <dd key={each.currency} className="font-bold text-xl tabular-nums [overflow-wrap:anywhere]">
              {kind === 'total'
                ? moneyOf(centsOf(each.paid) + centsOf(each.awaiting), each.currency)
                : money(each[kind], each.currency)}
            </dd>
          ))}
          <dd className="text-dim text-sm">{noteOf(kind, grossCount, paidCount)}</dd>
        </div>
      ))}
    </dl>
  )
}

function countOf(counts: object, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + ((counts as Record<string, number>)[status] ?? 0), 0)
}

const none = { currency: 'USD', total: 0, paid: 0, awaiting: 0, refunded: 0, fees: 0 } as const

function noteOf(kind: (typeof kinds)[number], count: number, paidCount: number): string {
  if (kind === 'total') return text('overview.count', { count })
  if (kind === 'paid') return text('overview.count', { count: paidCount })
  return kind === 'fees' ? text('overview.fees.note') : ''
}

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { operations } from '../../api/schema.d.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { type ReceiptSearch, type ReceiptTab, rareTabs, receiptTabs } from './receipt-search.ts'

export type ReceiptSummary = operations['getReceiptsSummary']['responses'][200]['content']['application/json']

export function ReceiptTabs({
  search,
  summary,
}: {
  readonly search: ReceiptSearch
  readonly summary: ReceiptSummary | undefined
}): ReactNode {
  const { tab: current = 'all', pages: _, ...rest } = search
  const isShown = (tab: ReceiptTab) =>
    tab === current || !rareTabs.includes(tab) || (countOf(summary, tab) ?? 0) > 0
  const tabs = (Object.keys(receiptTabs) as ReceiptTab[]).filter(isShown)
  return (
    <nav aria-label={text('receipts.tabs')} className="-mx-1 mb-4 overflow-x-auto px-1 py-1">
      <ul className="flex gap-2">
        {tabs.map((tab) => {
          const count = countOf(summary, tab)
          return (
            <li key={tab}>
              <Link
                to="/receipts"
                search={tab === 'all' ? rest : { ...rest, tab }}
                resetScroll={false}
                activeOptions={{ exact: true }}
                aria-current={tab === current ? 'page' : undefined}
                className="inline-flex min-h-10 items-center gap-2 whitespace-nowrap rounded-full border border-line px-4 font-medium text-dim hover:bg-soft aria-[current]:border-accent aria-[current]:bg-soft aria-[current]:text-ink"
              >
                {text(`receipts.tab.${tab}` as TextKey)}
                {count === undefined ? null : (
                  <span className="text-sm tabular-nums">
                    {new Intl.NumberFormat(formatTag()).format(count)}
                  </span>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function countOf(summary: ReceiptSummary | undefined, tab: ReceiptTab): number | undefined {
  if (!summary) return undefined
  const counts = summary.byDisplayStatus as Record<string, number>
  const statuses = receiptTabs[tab] ?? Object.keys(counts)
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useRole } from '../../session/use-role.ts'
import { Chart } from './chart.tsx'
import { Checklist } from './checklist.tsx'
import { Latest } from './latest.tsx'
import { NeedsYou } from './needs-you.tsx'
import { askFor, type Range, ranges } from './range.ts'
import { Totals } from './totals.tsx'

export function Overview(): ReactNode {
  const { range = '30d' } = useSearch({ from: '/overview' })
  const { isManager } = useRole()
  const summary = useQuery({
    queryKey: ['receipts', 'summary', 'overview', range],
    queryFn: () =>
      contentOf(api.GET('/api/receipts/summary', { params: { query: askFor(range, Date.now()) } })),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader title={text('overview.title')}>
        {isManager ? (
          <LinkButton to="/payment-links/new" look="main">
            {text('overview.new-link')}
          </LinkButton>
        ) : null}
      </PageHeader>
      <div className="grid grid-cols-1 gap-5">
        <Checklist />
        <NeedsYou />
        <RangePicker current={range} />
        <QueryView query={summary} isDegraded={({ degraded }) => degraded === true}>
          {(found) => (
            <div className="grid grid-cols-1 gap-5">
              <Totals summary={found} />
              <Chart series={found.series ?? []} interval={ranges[range].interval} />
            </div>
          )}
        </QueryView>
        <Latest />
      </div>
    </>
  )
}

function RangePicker({ current }: { readonly current: Range }): ReactNode {
  return (
    <nav aria-label={text('overview.range')}>
      <ul className="flex flex-wrap gap-2">
        {(Object.keys(ranges) as Range[]).map((range) => (
          <li key={range}>
            <Link
              to="/overview"
              search={{ range }}
              resetScroll={false}
              aria-current={range === current ? 'true' : undefined}
              className={`inline-flex min-h-10 items-center rounded-full border px-4 font-medium hover:bg-soft ${range === current ? 'border-accent bg-soft text-ink' : 'border-line text-dim'}`}
            >
              {text(`overview.range.${range}` as TextKey)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

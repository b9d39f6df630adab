import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { ReceiptTable } from '../receipts/receipt-table.tsx'

const shown = 6
const columns = ['items', 'status', 'amount', 'created'] as const

export function Latest(): ReactNode {
  const receipts = useQuery({
    queryKey: ['receipts', 'latest'],
    queryFn: () => contentOf(api.GET('/api/receipts', { params: { query: { limit: shown } } })),
  })
  return (
    <section aria-labelledby="latest">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-4">
        <h2 id="latest" className="font-semibold text-lg">
          {text('overview.latest')}
        </h2>
        <Link to="/receipts" className="py-1 text-accent underline underline-offset-4">
          {text('overview.all')}
        </Link>
      </div>
      <QueryView
        query={receipts}
        loading={<Skeleton rows={shown} />}
        isEmpty={({ receipts: found }) => found.length === 0}
        empty={<Notice title={text('receipts.empty.title')}>{text('receipts.empty.text')}</Notice>}
        isDegraded={({ degraded }) => degraded === true}
      >
        {({ receipts: found }) => <ReceiptTable rows={found} columns={columns} />}
      </QueryView>
    </section>
  )
}

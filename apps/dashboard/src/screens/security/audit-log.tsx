import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { When } from '../../parts/when.tsx'

type Entry = operations['getAudit']['responses'][200]['content']['application/json']['entries'][number]

const pageSize = 50

export function AuditLog(): ReactNode {
  const audit = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      contentOf(api.GET('/api/audit', { params: { query: { limit: pageSize, ...(cursor && { cursor }) } } })),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rows = audit.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Section title={text('security.audit')} note={text('security.audit.note')}>
      <QueryView
        query={audit}
        isEmpty={() => rows.length === 0}
        empty={<Notice title={text('security.audit.none')} />}
      >
        {() => (
          <ol className="grid rounded-2xl border border-line bg-card" aria-label={text('security.audit')}>
            {rows.map((entry) => (
              <AuditRow key={entry.sequence} entry={entry} />
            ))}
          </ol>
        )}
      </QueryView>
      {audit.hasNextPage ? (
        <p>
          <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </Section>
  )
}

function AuditRow({ entry }: { readonly entry: Entry }): ReactNode {
  return (
    <li className="border-line not-first:border-t">
      <details>
        <summary className="grid min-h-12 cursor-pointer gap-x-6 gap-y-1 px-4 py-3 sm:grid-cols-[14rem_minmax(0,1fr)_auto]">
          <code className="font-semibold text-sm">{entry.action}</code>
          <span className="truncate text-dim text-sm">
            <bdi>{entry.actor}</bdi>
          </span>
          <When at={entry.at} className="whitespace-nowrap text-dim text-sm" />
        </summary>
        <dl className="grid gap-2 border-line border-t bg-page px-4 py-3 text-sm [overflow-wrap:anywhere]">
          <Detail term={text('security.audit.number')}>{entry.sequence}</Detail>
          <Detail term={text('security.audit.subject')}>{entry.subject}</Detail>
          <Detail term={text('security.audit.details')}>{JSON.stringify(entry.details)}</Detail>
          {entry.correlationId ? (
            <Detail term={text('security.audit.correlation')}>{entry.correlationId}</Detail>
          ) : null}
          <Detail term={text('security.audit.hash')}>{entry.hash}</Detail>
        </dl>
      </details>
    </li>
  )
}

function Detail({ term, children }: { readonly term: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="grid gap-x-6 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-dim">{term}</dt>
      <dd>
        <code>{children}</code>
      </dd>
    </div>
  )
}

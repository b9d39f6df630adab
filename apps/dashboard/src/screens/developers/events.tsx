import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { When } from '../../parts/when.tsx'
import { DevelopersHead } from './developers.tsx'

const pageSize = 25
const lookEveryMs = 5_000

export function Events(): ReactNode {
  const events = useInfiniteQuery({
    queryKey: ['events'],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam }) => {
      const end = pageParam ?? (await readEvents(0, 1)).last
      const from = Math.max(0, end - pageSize)
      const page = end === 0 ? { events: [] } : await readEvents(from, end - from)
      return { events: page.events.toReversed(), from }
    },
    getNextPageParam: ({ from }) => (from > 0 ? from : undefined),
    refetchInterval: lookEveryMs,
  })
  const rows = events.data?.pages.flatMap((page) => page.events) ?? []
  return (
    <>
      <DevelopersHead />
      <QueryView
        query={events}
        isEmpty={() => rows.length === 0}
        empty={<Notice title={text('developers.events.none')}>{text('developers.events.none.text')}</Notice>}
      >
        {() => (
          <ol className="grid gap-2" aria-label={text('developers.events')}>
            {rows.map((event) => (
              <li key={event.number} className="rounded-2xl border border-line bg-card">
                <details>
                  <summary className="flex min-h-12 cursor-pointer flex-wrap items-center gap-x-5 gap-y-1 px-4 py-2.5">
                    <span className="text-dim tabular-nums">#{event.number}</span>
                    <bdi className="font-medium">{event.receiptId}</bdi>
                    <span>{statusOf(event.body)}</span>
                    <When at={event.createdAt} className="ms-auto text-dim text-sm" />
                  </summary>
                  <div className="grid gap-3 border-line border-t p-4">
                    <p className="text-sm [overflow-wrap:anywhere]">
                      <span className="text-dim">{text('developers.idempotency')} </span>
                      <code>{event.idempotencyKey}</code>
                    </p>
                    <p className="text-sm [overflow-wrap:anywhere]">
                      <span className="text-dim">{text('developers.event.hash')} </span>
                      <code>{event.hash}</code>
                    </p>
                    <CodeBlock label={text('developers.request.body')} code={event.body} />
                    <Link
                      to="/receipts/$receiptId"
                      params={{ receiptId: event.receiptId }}
                      className="justify-self-start py-1 text-accent underline underline-offset-4"
                    >
                      {text('developers.event.receipt')}
                    </Link>
                  </div>
                </details>
              </li>
            ))}
          </ol>
        )}
      </QueryView>
      {events.hasNextPage ? (
        <p className="mt-5">
          <Button disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
            {text('app.more')}
          </Button>
        </p>
      ) : null}
    </>
  )
}

function readEvents(after: number, limit: number) {
  return contentOf(api.GET('/api/events', { params: { query: { after, limit } } }))
}

function statusOf(body: string): string {
  const { status } = JSON.parse(body) as { status?: unknown }
  return typeof status === 'string' ? status : ''
}

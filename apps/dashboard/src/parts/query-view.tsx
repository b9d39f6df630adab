import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { ErrorNotice } from './notice.tsx'
import { Skeleton } from './skeleton.tsx'

/** What of a query the view needs: both kinds of TanStack Query have it. */
type Query<Data> = {
  readonly data: Data | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}

/**
 * What was read, in its one place: a skeleton before it is there, what went wrong (for a role that may not: that),
 * `empty` where there is nothing, and a banner where the service answers from what it knew last.
 */
export function QueryView<Data>({
  query,
  isEmpty,
  empty,
  isDegraded,
  loading = <Skeleton />,
  children,
}: {
  readonly query: Query<Data>
  readonly isEmpty?: (data: Data) => boolean
  readonly empty?: ReactNode
  readonly isDegraded?: (data: Data) => boolean
  readonly loading?: ReactNode
  readonly children: (data: Data) => ReactNode
}): ReactNode {
  const { data, error, isPending } = query
  if (data === undefined) {
    return isPending ? loading : <ErrorNotice error={error} retry={() => void query.refetch()} />
  }
  return (
    <>
      {isDegraded?.(data) ? <DegradedBanner /> : null}
      {/* What was read before stays on the screen; that it is older is said. */}
      {error ? <ErrorNotice error={error} retry={() => void query.refetch()} /> : null}
      {isEmpty?.(data) ? empty : children(data)}
    </>
  )
}

/** Says that the figures are the last known ones. */
export function DegradedBanner(): ReactNode {
  return (
    <p role="status" className="mb-4 rounded-xl bg-wait-soft p-4 text-wait">
      {text('app.degraded')}
    </p>
  )
}

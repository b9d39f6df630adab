import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { ErrorNotice } from './notice.tsx'
import { Skeleton } from './skeleton.tsx'

type Query<Data> = {
  readonly data: Data | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}

/**
 * Shows a query's data, or else a skeleton, an error or `empty`.
 *
 * If `isDegraded` is true, a banner states that the service returned the last known data.
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
      {/* Older data stays visible below the error. */}
      {error ? <ErrorNotice error={error} retry={() => void query.refetch()} /> : null}
      {isEmpty?.(data) ? empty : children(data)}
    </>
  )
}

export function DegradedBanner(): ReactNode {
  return (
    <p role="status" className="mb-4 rounded-xl bg-wait-soft p-4 text-wait">
      {text('app.degraded')}
    </p>
  )
}

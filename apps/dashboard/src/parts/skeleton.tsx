import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'

/** Reserves the height of rows, so that the layout does not shift when they load. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }): ReactNode {
  const places = Array.from({ length: rows }, (_, place) => `row ${place}`)
  return (
    <div role="status" className="rounded-2xl border border-line bg-card">
      <span className="sr-only">{text('app.loading')}</span>
      {places.map((place) => (
        <div key={place} aria-hidden="true" className="border-line px-4 py-4 not-first:border-t">
          <div className="h-5 w-2/3 animate-pulse rounded bg-soft" />
        </div>
      ))}
    </div>
  )
}

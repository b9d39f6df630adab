import type { ReactNode } from 'react'
import { dateTime, exactTime } from '../format/time.ts'

export function When({ at, className }: { readonly at: number; readonly className?: string }): ReactNode {
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {dateTime(at)}
    </time>
  )
}

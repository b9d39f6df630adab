import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { dateTime } from '../format/time.ts'
import { text } from '../messages/messages.ts'
import { CopyButton } from './copy-button.tsx'

/** What went wrong with a write, beside what was to be written: when to try again, or what to quote. */
export function ErrorLine({ error }: { readonly error: unknown }): ReactNode {
  const known = error instanceof ApiError ? error : undefined
  const reference = known && known.status >= 500 ? known.correlationId : undefined
  return (
    <div role="alert" className="grid gap-2 rounded-xl bg-bad-soft p-4 text-bad empty:hidden">
      {error ? <p className="[overflow-wrap:anywhere]">{wordsOf(error)}</p> : null}
      {known?.issues.map(({ path, message }) => (
        <p key={path} className="text-sm [overflow-wrap:anywhere]">
          {path}: {message}
        </p>
      ))}
      {reference ? (
        <p className="flex flex-wrap items-center gap-3 text-sm">
          {text('app.error.reference')} <code>{reference}</code>
          <CopyButton value={reference} />
        </p>
      ) : null}
    </div>
  )
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : text('app.error.title')
  if (error.code === 'unreachable') return text('app.error.unreachable')
  if (error.resetAt !== undefined) return text('app.error.limit', { time: dateTime(error.resetAt) })
  return error.message
}

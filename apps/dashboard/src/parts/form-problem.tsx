import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { dateTime } from '../format/time.ts'
import { text } from '../messages/messages.ts'
import { CopyButton } from './copy-button.tsx'

export function FormProblem({
  error,
  others = [],
}: {
  readonly error: unknown
  readonly others?: readonly string[]
}): ReactNode {
  return (
    <div role="alert" className="empty:hidden">
      {error ? (
        <div className="grid gap-2 rounded-xl bg-bad-soft p-4 text-bad">
          <p>{problemText(error)}</p>
          {others.map((message) => (
            <p key={message}>{message}</p>
          ))}
          {error instanceof ApiError && error.correlationId && error.status >= 500 ? (
            <p className="flex flex-wrap items-center gap-3">
              {text('app.error.reference')} <code>{error.correlationId}</code>
              <CopyButton value={error.correlationId} />
            </p>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'unreachable') return text('app.error.unreachable')
  if (error.resetAt !== undefined) return text('app.error.limit', { time: dateTime(error.resetAt) })
  return error.message
}

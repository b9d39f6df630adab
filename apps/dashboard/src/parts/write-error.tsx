import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { dateTime } from '../format/time.ts'
import { text } from '../messages/messages.ts'
import { CopyButton } from './copy-button.tsx'

/** Why a write did not go through, where it stands: what is said of single fields stands at those. */
export function WriteError({ error }: { readonly error: unknown }): ReactNode {
  return (
    <div role="alert" className="empty:hidden">
      {error ? (
        <div className="grid justify-items-start gap-2 rounded-xl bg-bad-soft p-4 text-bad">
          <p>{errorText(error)}</p>
          {error instanceof ApiError && error.status >= 500 && error.correlationId ? (
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

/** An error in words: when to try again after a limit, else what the service says. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'unreachable') return text('app.error.unreachable')
  if (error.resetAt !== undefined) return text('app.error.limit', { time: dateTime(error.resetAt) })
  return error.message
}

import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { dateTime } from '../format/time.ts'
import { text } from '../messages/messages.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

export function Notice({
  title,
  children,
  role,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly role?: 'alert'
}): ReactNode {
  return (
    <div role={role} className="grid justify-items-start gap-3 rounded-2xl border border-line bg-card p-8">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="grid justify-items-start gap-4 text-dim">{children}</div>
    </div>
  )
}

export function ErrorNotice({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: () => void
}): ReactNode {
  const known = error instanceof ApiError ? error : undefined
  if (known?.code === 'forbidden') {
    return <Notice title={text('app.error.forbidden.title')}>{text('app.error.forbidden.text')}</Notice>
  }
  return (
    <Notice title={text('app.error.title')} role="alert">
      <p>{textOf(known)}</p>
      {known?.correlationId && known.status >= 500 ? (
        <p className="flex flex-wrap items-center gap-3">
          {text('app.error.reference')} <code>{known.correlationId}</code>
          <CopyButton value={known.correlationId} />
        </p>
      ) : null}
      {retry ? <Button onClick={retry}>{text('app.retry')}</Button> : null}
    </Notice>
  )
}

function textOf(error: ApiError | undefined): string {
  if (!error || error.code === 'unreachable') return text('app.error.unreachable')
  if (error.resetAt !== undefined) return text('app.error.limit', { time: dateTime(error.resetAt) })
  return error.message
}

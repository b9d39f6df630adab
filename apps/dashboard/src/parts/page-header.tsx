import { type ReactNode, useEffect } from 'react'
import { text } from '../messages/messages.ts'

/** The header of a screen. Also sets the document's title. */
export function PageHeader({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children?: ReactNode
}): ReactNode {
  useEffect(() => {
    document.title = `${title} · ${text('app.name')}`
  }, [title])
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <div className={`grid min-w-0 gap-1 ${note ? 'flex-1 basis-72' : ''}`}>
        <h1 className="text-2xl font-bold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
        {note ? <div className="max-w-3xl text-pretty text-dim">{note}</div> : null}
      </div>
      {children ? <div className="flex flex-wrap gap-3">{children}</div> : null}
    </header>
  )
}

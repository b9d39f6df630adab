import { type ReactNode, useId } from 'react'

/** A part of a screen with a heading of its own. */
export function Card({
  title,
  note,
  action,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly children?: ReactNode
}): ReactNode {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-2xl border border-line bg-card p-5 md:p-6">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="grid gap-1">
          <h2 id={id} className="text-lg font-semibold">
            {title}
          </h2>
          {note ? <div className="max-w-2xl text-pretty text-dim text-sm">{note}</div> : null}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** A line of facts: what, and its value. It stands in a `dl`. */
export function Fact({
  term,
  children,
}: {
  readonly term: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 py-2">
      <dt className="text-dim">{term}</dt>
      <dd className="min-w-0 font-medium tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}

import { type ReactNode, useId } from 'react'

/** A part of a screen with a heading, around something that has a frame of its own: a table, a list. */
export function Section({
  title,
  note,
  action,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="grid gap-0.5">
          <h2 id={id} className="font-semibold text-lg">
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

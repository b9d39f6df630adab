import type { ReactNode } from 'react'

/** What every part of a screen with a heading takes. */
export type Headed = {
  readonly title: string
  readonly note?: ReactNode
  /** Stands at the end of the heading: a button or a link. */
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** The heading of a part of a screen, and what it is about. */
export function Heading({ id, title, note }: { readonly id: string } & Headed): ReactNode {
  return (
    <div className="grid gap-1">
      <h2 id={id} className="font-semibold text-lg">
        {title}
      </h2>
      {note ? <div className="max-w-2xl text-pretty text-dim text-sm">{note}</div> : null}
    </div>
  )
}
